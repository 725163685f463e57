// rockpool/stores: the stores of a session on a page, for pages without React: plain code, Svelte, Vue. rockpool/react has
// them, too, with components over them.
import './core/symbol-dispose.ts';
export type { CallState, ViewedCall } from './core/tool/call-state.ts';

export { createPageSession } from './react/page-session.ts';
export type {
  AgentQuery,
  PageSession,
  PageSessionOptions,
  AgentWiring,
  GiveBack,
  WaitingPrompt,
  WaitingPrompts,
} from './react/page-session.ts';
export { followSession } from './react/follow-session.ts';
export type { FollowedQuery, FollowedSession, SessionWiring } from './react/follow-session.ts';
export { createPermissionQueue } from './react/permission-queue.ts';
export type {
  FormAnswer,
  PermissionAnswer,
  PermissionEvent,
  PermissionQuestion,
  PermissionQueue,
} from './react/permission-queue.ts';
export { createTranscriptStore } from './react/transcript-store.ts';
export type { TranscriptStore, TranscriptStoreOptions } from './react/transcript-store.ts';
export { nextFrame } from './react/next-frame.ts';
export type {
  CallEntry,
  CallTask,
  NoticeEntry,
  RunningTask,
  SessionSnapshot,
  TaskAgent,
  TextEntry,
  TranscriptEntry,
  Turn,
} from './react/transcript.ts';
export { readSessionTasks } from './react/session-task-list.ts';
export type {
  SessionTask,
  SessionTasks,
  TaskListReader,
  TaskListReaders,
} from './react/session-task-list.ts';
export { taskListReaders } from './tools/task-list-readers.ts';
