// rockpool/inline: the agent on one thread, in Node or wherever JavaScript runs. `query` is in rockpool.
import './core/symbol-dispose.ts';
export { createInlineHost } from './hosts/inline/create-inline-host.ts';
export type { InlineHost, InlineHostOptions } from './hosts/inline/create-inline-host.ts';
export type { HostGit } from './hosts/host-git.ts';
export type { OpenDocument, OpenDocuments } from './workspace/documents/open-documents.ts';
export type { HostEntry, HostFs, HostStats } from './workspace/mounts/host-fs.ts';
export type { Mount, MountOptions, MountState } from './workspace/mounts/mount.ts';
export type { MountProblem, MountProgress } from './workspace/mounts/take-in.ts';
export { createMemoryWorkspace } from './workspace/memory-workspace.ts';
export type { MemoryWorkspaceOptions } from './workspace/memory-workspace.ts';
