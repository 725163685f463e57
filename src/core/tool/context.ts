// What a tool's `call` on the agent's thread gets about its conversation.
import type { Agents } from '../agents/agents.ts';
import type { AnnouncedTask, TaskEvent } from './announced-task.ts';
import type { BackgroundTasks, RestByTool, RestOfCall } from './background.ts';
import type { CallFileChange, CallFiles } from './call-files.ts';
import type { Version } from '../change-set.ts';
import type { CronJobs } from '../triggers/cron.ts';
import type { PullRequests } from '../host-ports/forge.ts';
import type { MessageParam } from '../messages/messages.ts';
import type {
  CallDecision,
  PermissionMode,
  ToolPermissionContext,
} from '../permissions/permission.ts';
import type { SkillCatalog } from '../commands/skill.ts';
import type { Workflows } from '../agents/workflows.ts';
import type { Preview } from '../host-ports/preview.ts';
import type { Clock } from './ports.ts';
import type { KnownTools } from './listed-tool.ts';
import type { ElicitationRequest, ElicitationResult } from '../mcp/mcp-exchange.ts';
import type { McpServerStatus } from '../mcp/mcp-server.ts';
import type { McpResources } from '../mcp/mcp-resources.ts';
import type { McpServerWaiting } from '../mcp/mcp-server.ts';
import type { SlashCommand } from '../commands/slash-command.ts';
import type { OpenSocket } from '../host-ports/socket-port.ts';
import type { ThinkingOption } from '../messages/thinking.ts';
import type { SessionSettings } from '../session/session-settings.ts';
import type { SessionHistory } from '../session/session-history.ts';
import type { SessionPlan } from '../session/session-plan.ts';
import type { SessionStates } from '../session/session-states.ts';
import type { CallWorktrees, EnteredWorktree } from '../session/session-worktrees.ts';
import type { ToolCatalog } from './tool-catalog.ts';
import type { OnUserFile } from '../host-ports/user-file.ts';
import type { CallWeb } from '../host-ports/web.ts';
import type { WebSearchAnswer, WebSearchQuery } from '../host-ports/web-search.ts';
import type { Wakeups } from '../triggers/wakeup.ts';
import type { OnRemoteTrigger } from '../host-ports/remote-trigger.ts';
import type { OnPushNotification } from '../host-ports/user-notification.ts';

/** What the model has read in this conversation. Write and Edit are refused if the file has changed since. */
export interface ReadFileState {
  get(path: string): Version | undefined;
  set(path: string, version: Version): void;
  delete(path: string): void;
  entries(): IterableIterator<[path: string, version: Version]>;
}

/** The state that a host's tools share in the session: plain JSON data. */
export type AppState = Readonly<Record<string, unknown>>;

/** The permission decisions of the turn's calls. */
export interface ToolDecisions {
  /** Why the call was allowed or refused; `explain` makes a sentence of it. Undefined while nothing is decided. */
  get(toolUseID: string): CallDecision | undefined;
}

/** Shared by all calls of one conversation; each call gets a copy with its own `abortController`. */
export interface ToolUseContext {
  readonly sessionId: string;
  /** Absolute. Relative paths are resolved against it. */
  readonly cwd: string;
  /** The work tree that the agent has entered. Left out: none. */
  readonly worktree?: EnteredWorktree;
  /** The conversation up to the message that made this call. */
  readonly messages: readonly MessageParam[];
  readonly options: {
    /** The tools that the call may call. A listed tool's definition is loaded by its `load`. */
    readonly tools: KnownTools;
    readonly mainLoopModel: string;
    /** The model's setting for thinking. Left out: the server's default. */
    readonly thinkingConfig?: ThinkingOption;
    /** The commands with which a person may begin a prompt. */
    readonly commands: readonly SlashCommand[];
    /** The MCP servers, as they are now. */
    readonly mcpClients: readonly McpServerStatus[];
  };
  /** Belongs to this call. It is aborted when the call or its turn is cut. */
  readonly abortController: AbortController;
  /** The call's own id. */
  readonly toolUseID?: string;
  readonly readFileState: ReadFileState;
  readonly clock: Clock;
  /** The background tasks of the conversation. */
  readonly tasks: BackgroundTasks;
  readonly toolCatalog: ToolCatalog;
  /** The states that tools keep for the session. */
  readonly states: SessionStates;
  /** The state that an agent of the session set last; empty at first. Don't change the object. */
  getAppState(): AppState;
  /**
   * Replaces the state by `update(state)`. The state survives the end of the page, a fork and a compaction; a rewind
   * reverts it. Resolves when it is recorded. Concurrent updates are applied one after the other.
   *
   * Rejects with `invalid-input` if the new state has a value that JSON can't hold; the message says where. Then the
   * state is unchanged.
   */
  setAppState(update: (state: AppState) => AppState): Promise<void>;
  /** The ports on which servers in a tool's sandbox listen between its calls. Left out: there are no servers. */
  listOwnPorts?(toolName: string): readonly number[];
  /** Why calls of this turn were allowed or refused. */
  readonly toolDecisions: ToolDecisions;
  /** The sub-agent that makes the call. Left out for the session's main agent. */
  readonly agentId?: string;
  /** All agents of a session have the same `chainId`. `depth` counts sub-agents: 0 is the session's main agent. */
  readonly queryTracking: { readonly chainId: string; readonly depth: number };
  readonly agents: Agents;
  readonly skills: SkillCatalog;
  readonly workflows: Workflows;
  /** Left out: the query has no forge. */
  readonly pullRequests?: PullRequests;
  /**
   * Searches the web. If the model's server does it, the request counts in the session's usage. Rejects with an
   * SdkError. Left out: neither the host nor the server can search.
   */
  searchWeb?(asked: WebSearchQuery, signal: AbortSignal): Promise<WebSearchAnswer>;
  /** Left out: the query schedules nothing (`triggers`). */
  readonly crons?: CronJobs;
  /** Left out: the query schedules nothing (`triggers`). */
  readonly wakeups?: Wakeups;
  /** Left out: the host has no preview. */
  readonly preview?: Preview;
  /** Left out: the host hands no files over. */
  readonly onUserFile?: OnUserFile;
  /** Left out: the host can't notify a person who is away. */
  readonly onPushNotification?: OnPushNotification;
  /** Left out: the query has no remote runtime. */
  readonly onRemoteTrigger?: OnRemoteTrigger;
  /**
   * Asks the person for something during the call, by a form or by a URL to open. Hooks are asked first, then the
   * host's `onElicitation`. Without either the request is declined. Never rejects; resolves to `cancel` when the call
   * is cut.
   */
  handleElicitation(request: ElicitationRequest): Promise<ElicitationResult>;
  /** Left out: the session has no MCP servers. */
  readonly mcpResources?: McpResources;
  readonly mcpServers: McpServerWaiting;
  /**
   * Adds the allow rules of a trusted skill, from the next permission decision to the turn's end. Throws
   * `invalid-input` for a rule that isn't valid.
   */
  allowForTurn(rules: readonly string[]): void;
  /**
   * Asks the host's hooks about a task of the task list. Resolves to the reason if one refuses, else to undefined.
   * Never rejects; resolves at once when the call is cut.
   */
  announceTask(event: TaskEvent, task: AnnouncedTask): Promise<string | undefined>;
  readonly history: SessionHistory;
  /**
   * Sets the session's goal: a condition that the agent works for until it holds. It replaces the goal before.
   * Resolves when the goal is recorded. Rejects with `invalid-input` for a text that is empty or too long.
   */
  setGoal(condition: string): Promise<void>;
  readonly settings: SessionSettings;
  readonly plan: SessionPlan;
  /** Shows the person a sentence beside the call's result. The model doesn't see it. */
  addNotification(text: string): void;
  getPermissionContext(): ToolPermissionContext;
  /** Applies from the next permission decision on. The model is told of plan mode with its next request. */
  setPermissionMode(mode: PermissionMode): void;
}

/** What a tool's `call` gets: a {@link ToolUseContext}, and what only a running call has. */
export interface CallContext extends ToolUseContext {
  readonly toolUseID: string;
  /** The workspace's files that this call may read. */
  readonly fs: CallFiles;
  /**
   * Reports changes of files that this call may read, if a person, a mount or another session makes them from now on.
   * The subscription outlives the call; the caller disposes it.
   */
  watchFiles(listener: (changes: readonly CallFileChange[]) => void): Disposable;
  /** Opens a WebSocket to a host that this call may reach. Left out: the host has no sockets for calls. */
  readonly openSocket?: OpenSocket;
  /** Moves the agent between work trees. */
  readonly worktrees: CallWorktrees;
  /** Reads web pages of the hosts that the call was allowed to reach. Left out: the host reads no pages. */
  readonly web?: CallWeb;
  /**
   * Runs another tool, in a worker or on this thread, and resolves to its output as data. Rules, hooks and a person
   * judge the nested call like any other, on behalf of this tool. A person may take any time to answer. The nested
   * call's changes are committed when it resolves, even if this call fails later. If a cell has made this call, the
   * nested call may only read, and sees the cell's draft.
   *
   * Rejects with an SdkError: `permission-denied` if the nested call was refused; `invalid-input` for an unknown
   * tool, or for an input that doesn't match its schema; `limit-exceeded`; `aborted` when this call is aborted; or
   * the tool's own error.
   */
  callTool(toolName: string, input: unknown): Promise<unknown>;
  /**
   * For a tool with `background`, once a call: the rest of the call continues as a background task. The call returns
   * what this resolves to. Resolves to undefined if no further task may run; the rest isn't run then. If the call
   * fails or is cut afterwards, its task is stopped. Rejects as {@link callTool} if another tool may not do the rest.
   *
   * Left out where the caller waits for the call's output.
   */
  goOnInBackground?(rest: RestOfCall | RestByTool): Promise<unknown>;
}
