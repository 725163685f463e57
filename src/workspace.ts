// rockpool/workspace: the file system, usable without an agent.
import './core/symbol-dispose.ts';
export { SdkError } from './core/errors.ts';
export type {
  Change,
  ChangeContent,
  ChangeSet,
  ContentId,
  FileBase,
  FileChange,
  PatchHunk,
  Version,
  WorkspaceAddress,
} from './core/change-set.ts';
export type { PathAccess, PathAccessRule } from './core/access/path-access.ts';
export { fileConstants } from './workspace/files/file-options.ts';
export type {
  BinaryOption,
  CopyOptions,
  CopySyncOptions,
  Encoding,
  EncodingOption,
  FileData,
  FileMode,
  FileTime,
  MkdirOptions,
  NameOptions,
  OpenFlag,
  ReaddirOptions,
  RmOptions,
  StatSyncOptions,
  WatchEvent,
  WatchOptions,
  WriteFileOptions,
} from './workspace/files/file-options.ts';
export type { BufferOptions } from './workspace/files/file-arguments.ts';
export type {
  Dirent,
  FileHandle,
  FileSystem,
  LocalFileSystem,
  ReadResult,
  Stats,
  SyncFileSystem,
  WalkEntry,
  WalkOptions,
  WriteResult,
} from './workspace/files/file-system.ts';
export { deleteDoSqliteLog, openDoSqliteLog } from './workspace/drivers/do-sqlite.ts';
export type { DurableStorage, SqlValue } from './workspace/drivers/do-sqlite.ts';
export { deleteIdbLog, openIdbLog } from './workspace/drivers/idb-log.ts';
export type { IdbLogOptions, OpenIdbLogOptions } from './workspace/drivers/idb-log.ts';
export { createMemoryMedium } from './workspace/drivers/memory.ts';
export { openMedium } from './workspace/drivers/open-medium.ts';
export type { BrowserDriver, OpenMediumOptions } from './workspace/drivers/open-medium.ts';
export { deleteOpfsLog, openOpfsLog } from './workspace/drivers/opfs-log.ts';
export type { OpfsLogOptions } from './workspace/drivers/opfs-log.ts';
export type { ContentStore } from './workspace/log/content-store.ts';
export type { AppendFile, LogMedium, MediumFile, ReadFile } from './workspace/log/log-medium.ts';
export { createMemoryWorkspace } from './workspace/memory-workspace.ts';
export { openWorkspace } from './workspace/open-workspace.ts';
export { searchFiles } from './search/search-files.ts';
export type { FileQuery, FoundFile, FoundLine, SearchFilesOptions } from './search/search-files.ts';
export type { SearchOptions } from './search/index/search-memory.ts';
export { SearchService } from './search/search-service.ts';
export type { SearchableFileSystem } from './search/search-service.ts';
export { mergeFile } from './text/merge-file.ts';
export type { FileMerge } from './text/merge-file.ts';
export type { ConflictRegion } from './text/merge-text.ts';
export { countChanges } from './core/count-changes.ts';
export { createHunks, toFileChange } from './text/patch.ts';
export type { ViewSource, WorkspaceView } from './workspace/draft/view.ts';
export type {
  ChangeAuthor,
  ChangeEvent,
  CommitOptions,
  CommitResult,
  Durability,
  PathChange,
  PathState,
  RootTree,
  Workspace,
  WorkspaceInfo,
} from './workspace/workspace.ts';
export type {
  FileHistoryEntry,
  FileHistoryOptions,
  FileVersion,
  UndoCallOptions,
  UndoCallResult,
  WorkspaceHistory,
} from './workspace/state/workspace-history.ts';
export type {
  BranchOptions,
  DiffOptions,
  ListRootsOptions,
  MergeOptions,
  MergeResult,
  RootRewindOptions,
  RootRewindResult,
  RootOptions,
  WorkspaceRoot,
  WorkspaceRoots,
} from './workspace/state/workspace-roots.ts';
export type {
  AppendOptions,
  ForkOptions,
  NewStreamEntry,
  StreamAppend,
  StreamAppended,
  StreamEntry,
  StreamInfo,
  WorkspaceStreams,
} from './workspace/streams.ts';
export type { WorkspaceWriterOptions } from './workspace/commit/writer.ts';
export { exportZip } from './workspace/archives/export-zip.ts';
export type { ExportZipOptions } from './workspace/archives/export-zip.ts';
export { importTar, importZip } from './workspace/archives/import-archive.ts';
export type { ArchiveLimits } from './workspace/archives/archive-entry.ts';
export type { UnpackOptions, UnpackProgress, UnpackResult } from './workspace/archives/unpack.ts';
export { createNpm } from './workspace/npm/npm.ts';
export type { Npm, NpmInstallOptions, NpmInstallResult, NpmOptions } from './workspace/npm/npm.ts';
