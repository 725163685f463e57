// rockpool/workspace: the file system by itself, usable without any agent.
export { SdkError } from './core/errors.ts';
export type {
  Change,
  ChangeContent,
  ChangeSet,
  ContentId,
  FileChange,
  PatchHunk,
  Version,
  WorkspaceAddress,
} from './core/change-set.ts';
export type { PathAccess, PathAccessRule } from './core/path-access.ts';
export type { ContentSource } from './workspace/content-source.ts';
export type {
  Dirent,
  FileSystem,
  LocalFileSystem,
  Stats,
  SyncFileSystem,
  WalkEntry,
  WalkOptions,
} from './workspace/file-system.ts';
export { createMemoryStore } from './workspace/drivers/memory.ts';
export { deleteOpfsLog, openOpfsLogStore } from './workspace/drivers/opfs-log.ts';
export type { FeedMessage, PackedSegment } from './workspace/feed.ts';
export type { LogStore } from './workspace/log-store.ts';
export { createMemoryWorkspace } from './workspace/memory-workspace.ts';
export { createNextTask } from './workspace/next-task.ts';
export { createReplica } from './workspace/replica.ts';
export type { Replica, ReplicaOptions } from './workspace/replica.ts';
export { packForTab, serveFeed } from './workspace/serve-feed.ts';
export { countChanges, createHunks, toFileChange } from './workspace/text/patch.ts';
export type { ViewSource, WorkspaceView } from './workspace/view.ts';
export type {
  ChangeAuthor,
  ChangeEvent,
  CommitOptions,
  CommitResult,
  Durability,
  PathChange,
  Workspace,
  WorkspaceInfo,
} from './workspace/workspace.ts';
export { openWorkspaceWriter } from './workspace/writer.ts';
export type { WorkspaceWriter, WorkspaceWriterOptions } from './workspace/writer.ts';
export { createWriterWorkspace } from './workspace/writer-workspace.ts';
