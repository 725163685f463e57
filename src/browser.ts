// rockpool/browser: everything of the portable core, and the host of a tab.
import './core/symbol-dispose.ts';
export * from './index.ts';
export { createBrowserHost } from './hosts/browser/page/create-browser-host.ts';
export type {
  BrowserHost,
  BrowserHostAssets,
  BrowserHostOptions,
  ImportFilesOptions,
} from './hosts/browser/page/create-browser-host.ts';
export type { HostGit } from './hosts/host-git.ts';
export type { HostGitSettings } from './hosts/git-network.ts';
export type { WebHostOptions, WebProxyAddress } from './hosts/web-network.ts';
export { createPreview } from './hosts/browser/preview/create-preview.ts';
export type {
  BrowserPreview,
  BrowserPreviewOptions,
  PreviewState,
} from './hosts/browser/preview/create-preview.ts';
export { finishMcpLogin, openMcpLogin } from './hosts/browser/page/mcp-login-window.ts';
export type { ImportableFiles } from './hosts/browser/page/import-source.ts';
export type { HostEntry, HostFs, HostStats } from './workspace/mounts/host-fs.ts';
export type { Mount, MountOptions, MountState } from './workspace/mounts/mount.ts';
export type { LightningFsVolume, MountSource } from './workspace/mounts/browser-sources.ts';
export type { MountProblem, MountProgress } from './workspace/mounts/take-in.ts';
export type { StorageFacts } from './hosts/browser/page/page-storage.ts';
export type {
  ImportEntry,
  ImportProgress,
  WorkspaceDriver,
} from './hosts/browser/wire/protocol.ts';
export type { SearchFilesOutput } from './tools/search-files/schema.ts';
export type { FileQuery, FoundFile, FoundLine, SearchFilesOptions } from './search/search-files.ts';
export { readPromptImage } from './media/prompt-image.ts';
export { findTextEdits } from './text/find-text-edits.ts';
export type { TextEdit } from './text/find-text-edits.ts';
export type { OpenDocument, OpenDocuments } from './workspace/documents/open-documents.ts';
export { createTextDocument } from './workspace/documents/text-document.ts';
export type {
  DocumentWorkspace,
  TextBuffer,
  TextDocument,
  TextDocumentOptions,
  TextDocumentState,
} from './workspace/documents/text-document.ts';
export type { ArchiveLimits } from './workspace/archives/archive-entry.ts';
export { exportZip } from './workspace/archives/export-zip.ts';
export type { ExportZipOptions } from './workspace/archives/export-zip.ts';
export { importTar, importZip } from './workspace/archives/import-archive.ts';
export type { UnpackOptions, UnpackProgress, UnpackResult } from './workspace/archives/unpack.ts';
export { createNpm } from './workspace/npm/npm.ts';
export type { Npm, NpmInstallOptions, NpmInstallResult, NpmOptions } from './workspace/npm/npm.ts';
