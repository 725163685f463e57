// The public interface of an open session. open-session.ts implements it, and wire/connect-session.ts for a remote
// session.
import type { FlagSettings } from './session/settings/flag-settings.ts';
import type { SDKControlMcpReadResourceResponse } from '../core/mcp/mcp-exchange.ts';
import type { AskMcpApp } from '../core/mcp/mcp-app.ts';
import type { FileChange } from '../core/change-set.ts';
import type { QuestionRecord } from '../core/session/journal.ts';
import type { PermissionMode, PermissionResult } from '../core/permissions/permission.ts';
import type { SDKControlInterruptResponse } from '../core/messages/interrupt-response.ts';
import type {
  AgentInfo,
  SDKControlGetContextUsageResponse,
  SDKMessage,
  SDKUserMessage,
} from '../core/messages/sdk-message.ts';
import type { FoundSkills } from '../core/commands/skill.ts';
import type { SlashCommand } from '../core/commands/slash-command.ts';
import type { McpLogin } from '../core/mcp/mcp-login.ts';
import type {
  McpServerConfig,
  McpServerStatus,
  McpSetServersResult,
} from '../core/mcp/mcp-server.ts';
import type { MoveToOptions } from './session-mover.ts';
import type { Model } from '../model/model.ts';
import type { Trace } from '../trace/trace.ts';

/** `requires_action`: a question waits for a person. */
export type SessionState = 'idle' | 'running' | 'requires_action';

/**
 * `runner`: the session's turns run in this tab. `viewer`: they run in another tab, to which requests are sent. When
 * that tab closes the session or ends, one of the viewers becomes the runner.
 */
export type SessionRole = 'runner' | 'viewer';

/** The place of a prompt in the journal. */
export interface SentPrompt {
  readonly uuid: string;
  /** The entry that records it. */
  readonly n: number;
  /** The prompt was sent before, so nothing was recorded this time. */
  readonly isRepeated?: true;
}

/** What a rewind reverts. */
export interface RewindOptions {
  /** Reverts the files. @defaultValue true */
  readonly files?: boolean;
  /** Reverts the Repl's variables. @defaultValue true */
  readonly repl?: boolean;
  /** `user`: keeps files that a person has changed since, and each `.git` with all that is in it. */
  readonly keep?: 'user';
  /** Reports what would change, and changes nothing. */
  readonly dryRun?: boolean;
}

/** What a rewind has done, or would do. */
export interface RewindResult {
  /** The entry that records it. Left out in a dry run. */
  readonly n?: number;
  /** The files that changed, before and after. */
  readonly changes: readonly FileChange[];
  /** The paths that `keep` left unchanged. */
  readonly kept: readonly string[];
  /** Why the files weren't reverted although that was asked for: no checkpoint of them is left. */
  readonly filesNote?: string;
}

/** What `rewindFiles` has done, or would do. */
export interface RewindFilesResult {
  readonly canRewind: boolean;
  /** Why the files weren't reverted. */
  readonly error?: string;
  readonly filesChanged?: readonly string[];
  readonly insertions?: number;
  readonly deletions?: number;
}

/** Where a fork begins, and its title. */
export interface SessionForkOptions {
  /** The uuid of the stored message after which the fork continues. @defaultValue the last one */
  readonly upToMessageId?: string;
  /** @defaultValue the title of the original session, and ` (fork)` */
  readonly title?: string;
}

/** Which turn is stopped. */
export interface InterruptOptions {
  /**
   * The `n` of a message: a turn that began after it isn't stopped. For a request that is sent again, when the turn
   * that it meant may have ended. @defaultValue the running turn is stopped
   */
  readonly begunBy?: number;
}

/** The session that a fork has made. It isn't open. */
export interface ForkedSession {
  readonly sessionId: string;
}

/** A question to the person, as `canUseTool` gets it. */
export type SessionQuestion = QuestionRecord['question'] & { readonly requestId: string };

/**
 * One conversation, journalled before it acts. Close it when you are done: it can be opened again.
 *
 * In a viewer, the tab that runs the session carries out the methods, and they resolve or reject as there. If that
 * tab ends without an answer, the next runner is asked. Methods that must not run twice (`compact`, `fork`, `rewind`,
 * `undo`, `rewindFiles`) reject with `worker-lost` instead.
 */
export interface AgentSession extends AsyncDisposable {
  /**
   * Changes with `/clear`: the object continues with a new, empty session. Readers then get `conversation_reset`, the
   * turn's `result`, and the new session's `system/init`.
   */
  readonly id: string;
  /**
   * Sends a prompt. Resolves when it is recorded and would survive a power cut; its turn begins after earlier ones
   * have ended. Idempotent by the prompt's `uuid`, also across openings.
   *
   * @throws SdkError `bad-usage` for an invalid prompt and for a closed session; the medium's error if the prompt
   * can't be recorded.
   */
  send(prompt: string | SDKUserMessage): Promise<SentPrompt>;
  /**
   * Yields `system/init`, then the stored messages of entries after `after`, oldest first, and then all that happens
   * until the session is closed. There may be any number of readers, each at its own pace. Messages that aren't stored
   * are yielded from the reader's first step on. With `includePartialMessages`, the text so far of a streaming reply
   * comes first, as one delta a block. A viewer gets stored messages, `session_state_changed`, stream events and
   * progress; notices and hook events stay in the runner's tab.
   *
   * @param options - `after`: the `n` of the last message that you have. Left out: from the beginning. `stored`: a
   * message with an `n` is yielded once its entry is on the medium. So a receiver outside of this process never gets
   * a message that a kill undoes. After 10 s of waiting a notice says so. If an entry can't be stored any more, its
   * message isn't yielded.
   */
  messages(options?: {
    readonly after?: number;
    readonly stored?: boolean;
  }): AsyncGenerator<SDKMessage, void, undefined>;
  /** The questions that wait for an answer, oldest first. */
  questions(): readonly SessionQuestion[];
  /**
   * Answers a question that waits. `canUseTool` may answer it, too; the first answer counts. Resolves when the answer
   * is recorded. Rejects with `bad-usage` if no such question waits, or if the turn was stopped before the answer
   * took effect.
   *
   * @param options - `asAsked`: rejects with `permission-denied` if the answer has rules or another input than the
   * question, except a person's choices (`answers`, `annotations`). `isRepeated`: resolves if the question was
   * answered before.
   */
  answer(
    requestId: string,
    result: PermissionResult,
    options?: { readonly asAsked?: boolean; readonly isRepeated?: boolean },
  ): Promise<void>;
  /** Stops the running turn, and resolves when it has ended. See `Query.interrupt`. */
  interrupt(options?: InterruptOptions): Promise<SDKControlInterruptResponse | undefined>;
  /** Takes effect with the next permission decision, and resolves when it is stored. */
  setPermissionMode(mode: PermissionMode): Promise<void>;
  /** Takes effect with the next request; in a viewer, when it becomes the runner. */
  setModel(model: Model): Promise<void>;
  /**
   * See `Query.applyFlagSettings`. In a viewer it holds for the tab that runs the session, and for this one after that.
   * In a Durable Object and on a server it holds until it is changed again. Over a wire `permissions` is refused.
   */
  applyFlagSettings(settings: FlagSettings): Promise<void>;
  /** See `Query.supportedCommands`. */
  supportedCommands(): Promise<readonly SlashCommand[]>;
  /** See `Query.stopTask`. */
  stopTask(taskId: string): Promise<void>;
  /** See `Query.backgroundTasks`. */
  backgroundTasks(toolUseId?: string): Promise<boolean>;
  /** The types of sub-agents that may be started. */
  supportedAgents(): Promise<readonly AgentInfo[]>;
  /** What fills the model's window at present. */
  getContextUsage(): Promise<SDKControlGetContextUsageResponse>;
  /**
   * Compacts the conversation: the model continues from a summary. Waits until the running turn is over.
   * `instructions` say what the summary must contain. Rejects if there is nothing to sum up, or no summary came.
   */
  compact(instructions?: string): Promise<void>;
  /**
   * Makes a new session that begins where this one is between two turns, or after a stored message. Open it by
   * `resume`. Rejects as `forkSession` does.
   */
  fork(options?: SessionForkOptions): Promise<ForkedSession>;
  /**
   * Reverts conversation, files and the Repl's variables to before the prompt of that uuid, as one record. Waits
   * until the running turn is over. Rejects with `bad-usage` for a prompt that isn't part of the conversation, while a
   * background task runs, and for unknown options.
   */
  rewind(promptUuid: string, options?: RewindOptions): Promise<RewindResult>;
  /**
   * Undoes the last `rewind` or `rewindFiles`, and what came after it. Rejects with `bad-usage` if there was none.
   */
  undo(): Promise<RewindResult>;
  /**
   * As in the Claude Agent SDK: reverts only the files to before the prompt of that uuid, and keeps what a person has
   * changed since. Waits until the running turn is over. Rejects with `bad-usage` for unknown options.
   */
  rewindFiles(
    promptUuid: string,
    options?: { readonly dryRun?: boolean },
  ): Promise<RewindFilesResult>;
  /** The present skills, and the files that define none, with the reason. */
  skills(): Promise<FoundSkills>;
  /** `idle`: no turn runs, and no prompt waits for one that may begin. */
  state(): SessionState;
  /**
   * This tab's role; `session_role_changed` reports changes. Always `runner` if no other tab has the workspace open.
   */
  role(): SessionRole;
  /** What happens here and when, for `createTimeline` and `recordSpans`. */
  readonly trace: Trace;
  /**
   * Stops what runs, records the rest, and releases the session; `resume` continues it. A viewer only leaves the
   * session. Idempotent.
   */
  close(): Promise<void>;
}

/** What whoever holds a session does with its MCP servers. */
export interface McpControl {
  /** The servers of `mcpServers`, and what they offer. Loads the tools if necessary. */
  mcpServerStatus(): Promise<readonly McpServerStatus[]>;
  /**
   * Sets further servers, in place of those that were set by this method before; those of the options stay. Resolves
   * when each has connected or failed. Rejects with `bad-usage`, and changes nothing, if one can't be used here.
   * A viewer can only give `http` and `sse` servers: code can't cross to another tab.
   */
  setMcpServers(servers: Readonly<Record<string, McpServerConfig>>): Promise<McpSetServersResult>;
  /** Connects a server again. Rejects with `mcp-failed` if it can't be connected, `bad-usage` for an unknown name. */
  reconnectMcpServer(serverName: string): Promise<void>;
  /** Closes a server, or connects it again, and with it its tools. Rejects as `reconnectMcpServer`. */
  toggleMcpServer(serverName: string, enabled: boolean): Promise<void>;
  /**
   * Reads a resource of a connected server, such as `ui://…` of an app, for the host: the model hears nothing of it. What
   * it gives was written by others. Rejects with `bad-usage` for a server that has none, `mcp-failed` if it fails.
   */
  readMcpResource(serverName: string, uri: string): Promise<SDKControlMcpReadResourceResponse>;
  /** Ours: handles requests of an MCP server's app: see `McpApps` of rockpool/react. */
  readonly askMcpApp: AskMcpApp;
  /**
   * Ours: begins a login to a server. Open the resulting `url` for a person, who returns to the `redirectUrl` of the
   * host's `mcp.login`; without a `url` the login is complete. Rejects with `mcp-failed`, or `bad-usage` if the server or
   * the host has no login.
   */
  loginMcpServer(serverName: string): Promise<McpLogin>;
  /**
   * Ours: completes a login by the whole address to which the person returned. Resolves when its servers are connected.
   * Rejects with `mcp-failed` if no login waits for it, another issuer answers, or access is refused.
   */
  completeMcpLogin(callbackUrl: string): Promise<void>;
  /** Ours: deletes a login, and closes the server. Rejects as `loginMcpServer`. */
  logoutMcpServer(serverName: string): Promise<void>;
  /**
   * Ours: completions for the argument that is being written, for commands that have them (prompts of MCP servers).
   * `args`: the text after the command's name so far. Rejects with `mcp-failed` if the server fails.
   */
  completeCommand(name: string, args: string): Promise<readonly string[]>;
}

/** A session that was opened on this page. Unlike one over a wire, its MCP servers can be listed and changed. */
export interface OpenedSession extends AgentSession, McpControl {
  /**
   * Moves the session, in any state, to the place at that address, which is the wire of a Durable
   * Object or a server. Resolves to a viewer of it there. This object is then closed;
   * `session_moved` is the last message in every tab. `bringBack` of `rockpool/wire` fetches the
   * session back.
   *
   * If it rejects, the session is still here, unchanged and closed: open it again. After `worker-lost` with
   * `data.isUnsure` it may have moved: `settleMove` asks the place.
   *
   * @throws SdkError `bad-usage` if the host can't move sessions, or another tab runs this one; what the place
   * refuses.
   */
  moveTo(url: string, options: MoveToOptions): Promise<AgentSession>;
}
