// What a tool's page half is given about the conversation it works in.
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

/** What the model has read in this conversation: Write and Edit are refused where it is stale. */
export interface ReadFileState {
  get(path: string): Version | undefined;
  set(path: string, version: Version): void;
  delete(path: string): void;
  entries(): IterableIterator<[path: string, version: Version]>;
}

/** What a host's tools keep together for the session. Plain data: what JSON can say. */
export type AppState = Readonly<Record<string, unknown>>;

/** Of calls that were decided about. */
export interface ToolDecisions {
  /** Why that call may run, or not: `explain` says it in a sentence. Undefined: nobody had to be asked, or not yet. */
  get(toolUseID: string): CallDecision | undefined;
}

/** Shared by all calls of one conversation; each call gets a copy with its own `abortController`. */
export interface ToolUseContext {
  readonly sessionId: string;
  /** Absolute; what relative paths are resolved against. */
  readonly cwd: string;
  /** The work tree that the agent is in by now. Left out: in none. */
  readonly worktree?: EnteredWorktree;
  /** The conversation up to the message that made this call. */
  readonly messages: readonly MessageParam[];
  readonly options: {
    /** Those that the call may call. A listed one's definition comes by its `load`. */
    readonly tools: KnownTools;
    readonly mainLoopModel: string;
    /** How much the model was told to think. Left out: as its server has it. */
    readonly thinkingConfig?: ThinkingOption;
    /** What a person may begin a prompt with. */
    readonly commands: readonly SlashCommand[];
    /** The MCP servers, as they are now. */
    readonly mcpClients: readonly McpServerStatus[];
  };
  /** The call's own: aborted when the call is cut, or its turn. */
  readonly abortController: AbortController;
  /** Of the call. */
  readonly toolUseID?: string;
  readonly readFileState: ReadFileState;
  readonly clock: Clock;
  /** What runs beside the conversation. */
  readonly tasks: BackgroundTasks;
  readonly toolCatalog: ToolCatalog;
  /** What tools keep for the session. */
  readonly states: SessionStates;
  /** What was set last, of all agents of the session; at first it is empty. Not to be changed. */
  getAppState(): AppState;
  /**
   * Keeps what `update` makes of the state: it outlives the page, a fork and a compaction, and a rewind takes it
   * back. Resolves when it is recorded. Of two at once none is lost.
   *
   * Rejects with `invalid-input` for what JSON can't say, with its place: nothing is kept then.
   */
  setAppState(update: (state: AppState) => AppState): Promise<void>;
  /** Of the turn's calls. */
  readonly toolDecisions: ToolDecisions;
  /** Of the sub-agent whose call it is; left out for the session's own agent. */
  readonly agentId?: string;
  /** One chain a session; 0 is the session's own agent. */
  readonly queryTracking: { readonly chainId: string; readonly depth: number };
  readonly agents: Agents;
  readonly skills: SkillCatalog;
  readonly workflows: Workflows;
  /** Left out: the query has no forge. */
  readonly pullRequests?: PullRequests;
  /**
   * Searches the web, on the session's account where its model's server does. Rejects with an SdkError. Left out: neither
   * the host nor that server searches.
   */
  searchWeb?(asked: WebSearchQuery, signal: AbortSignal): Promise<WebSearchAnswer>;
  /** Left out: the query schedules nothing (`triggers`). */
  readonly crons?: CronJobs;
  /** As `crons`. */
  readonly wakeups?: Wakeups;
  /** Left out: the host has no preview. */
  readonly preview?: Preview;
  /** Left out: the host hands no files over. */
  readonly onUserFile?: OnUserFile;
  /** Left out: there is no way to a person who is away. */
  readonly onPushNotification?: OnPushNotification;
  /** Left out: the query has no remote runtime. */
  readonly onRemoteTrigger?: OnRemoteTrigger;
  /**
   * Asks the person for something in the midst of the call, by a form or an address to open: hooks first, then the
   * host's `onElicitation`. Where nobody is there it is declined. Never rejects; `cancel` when the call is cut.
   */
  handleElicitation(request: ElicitationRequest): Promise<ElicitationResult>;
  /** Left out where the session has no MCP servers. */
  readonly mcpResources?: McpResources;
  readonly mcpServers: McpServerWaiting;
  /**
   * What a trusted skill allows holds from the next permission decision on, until the turn ends. Throws
   * `invalid-input` for a rule that can't hold.
   */
  allowForTurn(rules: readonly string[]): void;
  /**
   * Asks the host's hooks about a task of the task list. Gives why one of them refuses; undefined: none does.
   * Never rejects; when the call is cut it resolves at once.
   */
  announceTask(event: TaskEvent, task: AnnouncedTask): Promise<string | undefined>;
  readonly history: SessionHistory;
  readonly settings: SessionSettings;
  readonly plan: SessionPlan;
  /** Tells the person something beside the call's result, in a sentence. The model doesn't hear of it. */
  addNotification(text: string): void;
  getPermissionContext(): ToolPermissionContext;
  /** Holds from the next permission decision on. The model is told of plan mode with its next request. */
  setPermissionMode(mode: PermissionMode): void;
}

/** What a tool's own `call` is handed: the same, and what only a call has that runs. */
export interface CallContext extends ToolUseContext {
  readonly toolUseID: string;
  /** What the workspace holds, as far as this call may read it. */
  readonly fs: CallFiles;
  /**
   * Tells of what others than the session change from now on, a person, a mount or another session, as far as this call
   * may read it. It outlives the call: whoever asks for it disposes it.
   */
  watchFiles(listener: (changes: readonly CallFileChange[]) => void): Disposable;
  /** Opens a WebSocket to where this call may reach. Left out: the host has no sockets for calls. */
  readonly openSocket?: OpenSocket;
  /** Moves the agent between work trees. */
  readonly worktrees: CallWorktrees;
  /** Pages of the web, on the hosts that the call was allowed to reach. Left out: the host reads none. */
  readonly web?: CallWeb;
  /**
   * Runs another tool, wherever that does its work, and resolves to its output as data. It is judged
   * like any call, in this tool's name: rules, hooks, and a person who may be asked for as long as it
   * takes. What it changes is kept when it resolves, whatever becomes of this call. Of a call that a
   * cell makes only calls that read can be made: they see the cell's draft.
   *
   * Rejects with an SdkError: `permission-denied` where it was refused, `invalid-input` for a tool or
   * an input that isn't right, `limit-exceeded`, `aborted` with this call, else the tool's own.
   */
  callTool(toolName: string, input: unknown): Promise<unknown>;
  /**
   * For a tool with `background`, once a call: what is left of the call goes on as a background task, and the call
   * gives what this resolves with. Undefined: as many tasks run as may, and the rest isn't run. A call that fails
   * afterwards, or is cut, takes its task along. Rejects as {@link callTool} where another tool may not do the rest.
   *
   * Left out: whoever makes the call waits for what it gives.
   */
  goOnInBackground?(rest: RestOfCall | RestByTool): Promise<unknown>;
}
