// What a tool's page half is given about the conversation it works in. Members that later rooms
// need (sub-agents, MCP, elicitation) join here when those rooms are built.
import type { BackgroundTasks } from './background.ts';
import type { Version } from './change-set.ts';
import type { MessageParam } from './messages.ts';
import type { ToolPermissionContext } from './permission.ts';
import type { Clock } from './ports.ts';
import type { Tools } from './tool.ts';
import type { ToolCatalog } from './tool-catalog.ts';

/** What the model has read in this conversation: Write and Edit are refused where it is stale. */
export interface ReadFileState {
  get(path: string): Version | undefined;
  set(path: string, version: Version): void;
  delete(path: string): void;
  entries(): IterableIterator<[path: string, version: Version]>;
}

/** Shared by all calls of one conversation; each call gets a copy with its own `abortController`. */
export interface ToolUseContext {
  readonly sessionId: string;
  /** Absolute; what relative paths are resolved against. */
  readonly cwd: string;
  /** The conversation up to the message that made this call. */
  readonly messages: readonly MessageParam[];
  readonly options: {
    readonly tools: Tools;
    readonly mainLoopModel: string;
  };
  /** The call's own: aborted when the call is cut, or its turn. */
  readonly abortController: AbortController;
  /** Of the call that runs; left out while it is still being judged. */
  readonly toolUseID?: string;
  readonly readFileState: ReadFileState;
  readonly clock: Clock;
  /** What runs beside the conversation. */
  readonly tasks: BackgroundTasks;
  readonly toolCatalog: ToolCatalog;
  /** Tells the person something beside the call's result, in a sentence. The model doesn't hear of it. */
  addNotification(text: string): void;
  getPermissionContext(): ToolPermissionContext;
}
