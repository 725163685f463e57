// A session as whoever opened it holds it. `open-session.ts` makes it.
import type { AskMcpApp } from '../core/mcp/mcp-app.ts';
import type { FileChange } from '../core/change-set.ts';
import type { QuestionRecord } from '../core/session/journal.ts';
import type { PermissionMode, PermissionResult } from '../core/permissions/permission.ts';
import type {
  AgentInfo,
  SDKControlGetContextUsageResponse,
  SDKControlInterruptResponse,
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
 * `runner`: its turns run here. `viewer`: they run in another tab, which is asked for all that is done here. One of
 * its viewers becomes the runner when that tab closes the session, or is gone.
 */
export type SessionRole = 'runner' | 'viewer';

/** Where a prompt stands in the journal. */
export interface SentPrompt {
  readonly uuid: string;
  /** The entry that records it. */
  readonly n: number;
  /** It was sent before: this time nothing was recorded. */
  readonly isRepeated?: true;
}

/** How a rewind is done. */
export interface RewindOptions {
  /** The files go back too. @defaultValue true */
  readonly files?: boolean;
  /** The Repl's variables go back too. @defaultValue true */
  readonly repl?: boolean;
  /** `user`: files that a person has changed since stay as they are, and so does a `.git` with all that is in it. */
  readonly keep?: 'user';
  /** Says what would change, and changes nothing. */
  readonly dryRun?: boolean;
}

/** What a rewind has done, or would do. */
export interface RewindResult {
  /** The entry that records it. Left out of a dry run. */
  readonly n?: number;
  /** Files as they were before and are afterwards. */
  readonly changes: readonly FileChange[];
  /** What `keep` left as it is. */
  readonly kept: readonly string[];
  /** Why the files stay, where they were to go back: no checkpoint of them is left. */
  readonly filesNote?: string;
}

/** What `rewindFiles` has done, or would do. */
export interface RewindFilesResult {
  readonly canRewind: boolean;
  /** Why not. */
  readonly error?: string;
  readonly filesChanged?: readonly string[];
  readonly insertions?: number;
  readonly deletions?: number;
}

/** Where a fork begins, and what it is called. */
export interface SessionForkOptions {
  /** The uuid of a kept message, behind which it goes on. @defaultValue the last one */
  readonly upToMessageId?: string;
  /** @defaultValue what the session is called that it is made of, and ` (fork)` */
  readonly title?: string;
}

/** Which turn is stopped. */
export interface InterruptOptions {
  /**
   * The `n` of a message: a turn that began later goes on. For a request that is sent again, which may have stopped what
   * was meant before. @defaultValue whichever runs is stopped
   */
  readonly begunBy?: number;
}

/** What a fork has made. It isn't open. */
export interface ForkedSession {
  readonly sessionId: string;
}

/** What a person is asked, as `canUseTool` gets it. */
export type SessionQuestion = QuestionRecord['question'] & { readonly requestId: string };

/**
 * One conversation, journalled before it acts. Close it: it may then be opened again.
 *
 * A viewer's methods are carried out by the tab that runs the session, and resolve or reject as there. Where that
 * tab goes without an answer, the next one is asked; what would do harm if it were done twice (`compact`, `fork`,
 * `rewind`, `undo`, `rewindFiles`) rejects with `worker-lost` instead.
 */
export interface AgentSession extends AsyncDisposable {
  /**
   * Another one after `/clear`: the object goes on with the new session, in which nothing was said. Its readers are
   * told `conversation_reset`, then the turn's `result`, then the new session's `system/init`.
   */
  readonly id: string;
  /**
   * Resolves once the prompt is recorded, so that it outlives a power cut; its turn begins when those before it
   * have ended. Idempotent: a prompt whose uuid was sent before, in whatever opening, isn't sent again.
   *
   * @throws SdkError `bad-usage` for what is no prompt, and once the session is closed; what the medium failed
   * with where it can't be recorded.
   */
  send(prompt: string | SDKUserMessage): Promise<SentPrompt>;
  /**
   * `system/init` first; then the kept messages of entries after number `after`, oldest first; and then all that
   * happens, until the session is closed. Any number of readers, each at its own pace. What isn't kept is told
   * from the first step of the reader on; of a reply that streams then, with `includePartialMessages`, what has
   * come of it by then, in one delta a block. A viewer's are told what is kept, `session_state_changed`, stream
   * events and progress; notices and hook events stay in the tab that runs the session.
   *
   * @param options - `after`: the `n` of the last message that is known. Left out: none is.
   */
  messages(options?: { readonly after?: number }): AsyncGenerator<SDKMessage, void, undefined>;
  /** Those that wait for an answer, oldest first. */
  questions(): readonly SessionQuestion[];
  /**
   * Answers a question that waits; `canUseTool` may answer it, too, and who is first has the word. Resolves when
   * the answer is recorded. Rejects with `bad-usage` where no such question waits, and where the turn was stopped
   * before the answer took effect.
   *
   * @param options - `asAsked`: rejects with `permission-denied` for rules, and for another input than was asked about.
   * What a person has chosen (`answers`, `annotations`) may be in it. `isRepeated`: it may have been given before; then it
   * resolves.
   */
  answer(
    requestId: string,
    result: PermissionResult,
    options?: { readonly asAsked?: boolean; readonly isRepeated?: boolean },
  ): Promise<void>;
  /** As the query's: stops the turn that runs, and resolves when it has come to rest. */
  interrupt(options?: InterruptOptions): Promise<SDKControlInterruptResponse | undefined>;
  /** Holds from the next permission decision on. */
  setPermissionMode(mode: PermissionMode): Promise<void>;
  /** Holds from the next request on; a viewer's once it runs the session. */
  setModel(model: Model): Promise<void>;
  /** As the query's. */
  supportedCommands(): Promise<readonly SlashCommand[]>;
  /** As the query's. */
  stopTask(taskId: string): Promise<void>;
  /** The kinds of sub-agents that may be asked for. */
  supportedAgents(): Promise<readonly AgentInfo[]>;
  /** What fills the model's window, as things stand now. */
  getContextUsage(): Promise<SDKControlGetContextUsageResponse>;
  /**
   * Sums the conversation up now: the model goes on from the summary. It waits until the turn that runs is over.
   * `instructions`: what the summary must have. Rejects where there is nothing to sum up, or no summary came.
   */
  compact(instructions?: string): Promise<void>;
  /**
   * A session of its own that begins as this one is between two turns, or as it was behind a kept message. It isn't
   * open: `resume` opens it. Rejects as `forkSession`.
   */
  fork(options?: SessionForkOptions): Promise<ForkedSession>;
  /**
   * Goes back to before the prompt of that uuid: conversation, files and the Repl's variables, as one record. It
   * waits until the turn that runs is over. Rejects with `bad-usage` for a prompt that isn't part of the
   * conversation, while a background task runs, and for options that there aren't.
   */
  rewind(promptUuid: string, options?: RewindOptions): Promise<RewindResult>;
  /**
   * Takes the last `rewind` or `rewindFiles` back, and what came after it. Rejects with `bad-usage` where there was
   * none.
   */
  undo(): Promise<RewindResult>;
  /**
   * As the Claude Agent SDK's: the files alone go back to before the prompt of that uuid, and the conversation stays.
   * So does what a person has changed since. It waits until the turn that runs is over. Rejects with `bad-usage` for
   * options that there aren't.
   */
  rewindFiles(
    promptUuid: string,
    options?: { readonly dryRun?: boolean },
  ): Promise<RewindFilesResult>;
  /** The skills as they stand now, and what gives none, with the reason. */
  skills(): Promise<FoundSkills>;
  state(): SessionState;
  /** `session_role_changed` tells when it has changed. Always `runner` where no other tab has the workspace open. */
  role(): SessionRole;
  /** What happens here and when, for `createTimeline` and `recordSpans`. */
  readonly trace: Trace;
  /**
   * Stops what runs, records what is left, and lets the session go. What was recorded stays: `resume` goes on
   * with it. A viewer just leaves. Idempotent.
   */
  close(): Promise<void>;
}

/** A session that was opened on this page: its MCP servers can be looked at and changed, too. Not so over a wire. */
export interface OpenedSession extends AgentSession {
  /** The MCP servers, and what they offer. */
  mcpServerStatus(): Promise<readonly McpServerStatus[]>;
  /** As the query's. A viewer can give servers by `http` and `sse` alone: code doesn't cross to another tab. */
  setMcpServers(servers: Readonly<Record<string, McpServerConfig>>): Promise<McpSetServersResult>;
  /** As the query's. */
  reconnectMcpServer(serverName: string): Promise<void>;
  /** As the query's. */
  toggleMcpServer(serverName: string, enabled: boolean): Promise<void>;
  /** As the query's. */
  readonly askMcpApp: AskMcpApp;
  /** As the query's. */
  loginMcpServer(serverName: string): Promise<McpLogin>;
  /** As the query's. */
  completeMcpLogin(callbackUrl: string): Promise<void>;
  /** As the query's. */
  logoutMcpServer(serverName: string): Promise<void>;
  /**
   * Moves the session to the place at that address (a Durable Object's wire), in whatever state it is, and gives it as
   * its viewer there; this one is closed by then, and `session_moved` is its readers' last message, in every tab.
   * `bringBack` of `rockpool/wire` fetches it again. Where it rejects the session is here, as it was, and closed: open it again; but for `worker-lost` with
   * `data.isUnsure`, where `settleMove` asks.
   *
   * @throws SdkError `bad-usage` where the host moves none, or another tab runs it; what the place refuses.
   */
  moveTo(url: string, options: MoveToOptions): Promise<AgentSession>;
  /** As the query's. */
  completeCommand(name: string, args: string): Promise<readonly string[]>;
}
