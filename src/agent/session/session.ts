// One conversation with everything that the stages of a turn share. create-session.ts creates it,
// and agents/create-agent.ts creates one for each sub-agent. A sub-agent has its own conversation,
// permissions, root and sandbox, and shares the rest. The session's state is the fold of its
// journal.
import type { OnElicitation } from '../../core/mcp/mcp-exchange.ts';
import type { OnUserFile } from '../../core/host-ports/user-file.ts';
import type { SessionSettings } from '../../core/session/session-settings.ts';
import type { OnRemoteTrigger } from '../../core/host-ports/remote-trigger.ts';
import type { OnPushNotification } from '../../core/host-ports/user-notification.ts';
import type { SessionStates } from '../../core/session/session-states.ts';
import { defaultMemoryBytes, type WorkLimits } from '../../core/tool/handler.ts';
import type { MessageParam } from '../../core/messages/messages.ts';
import { maxResultBytes } from '../../core/tool/result-limits.ts';
import type { SDKMessage } from '../../core/messages/sdk-message.ts';
import type { Workflows } from '../../core/agents/workflows.ts';
import type { SkillCatalog } from '../../core/commands/skill.ts';
import type { KnownTools } from '../../core/tool/listed-tool.ts';
import type { Tools } from '../../core/tool/tool.ts';
import type { WebSearch } from '../../core/host-ports/web-search.ts';
import type { CacheTtl, Model, TaskBudget } from '../../model/model.ts';
import type { SpillStore } from '../calls/spill-text.ts';
import type { CallSlotOptions } from '../calls/call-slots.ts';
import type { SessionAgents } from '../agents/session-agents.ts';
import type { Commands } from '../commands/commands.ts';
import type { EffortLevel } from '../../core/messages/effort.ts';
import type { Memory } from '../context/memory.ts';
import type { SystemPrompt } from '../context/system-prompt-option.ts';
import type { SessionPullRequests } from '../forge/pull-requests.ts';
import type { SessionCronJobs } from '../triggers/cron-jobs.ts';
import type { SessionWakeups } from '../triggers/wakeups.ts';
import type { SessionTasks } from '../background/tasks.ts';
import type { Hooks } from '../hooks/hooks.ts';
import type { Host } from '../host.ts';
import type { AutoMode } from '../permissions/auto-mode.ts';
import type { FoundPlugins } from '../plugins/plugin.ts';
import type { OwnFiles } from '../calls/own-files.ts';
import type { PermissionState } from '../permissions/permission-state.ts';
import type { QuestionQueue, Questions } from '../permissions/questions.ts';
import type { TurnWork } from './turn-work.ts';
import type { PoolContext } from '../registry/assemble.ts';
import type { ToolSearchMode } from '../registry/defer.ts';
import type { ToolSwitches } from '../registry/tool-gates.ts';
import type { RecordingTrace } from '../../trace/record-calls.ts';
import type { ToolParamWriter } from '../registry/to-tool-param.ts';
import type { RequestHash } from '../journal/request-hash.ts';
import type { SessionJournal } from '../journal/session-journal.ts';
import type { McpServers } from './mcp/mcp-servers.ts';
import type { Downloads } from './files/downloads.ts';
import type { PageCache } from './page-cache.ts';
import type { PlanFiles } from './files/plan-files.ts';
import type { SessionReads } from './files/read-file-state.ts';
import type { SessionFiles } from './files/session-files.ts';
import type { ModelChoice } from './settings/session-settings.ts';
import type { SessionIds } from './session-ids.ts';
import type { SessionRoot } from './files/session-root.ts';
import type { Spending } from './spending.ts';
import type { UsageMeter } from './usage-meter.ts';
import type { KnownCopies, WorkPlace } from './files/work-place.ts';
import type { WorkspaceTrust } from './settings/workspace-trust.ts';

/** The identity of one of a session's sub-agents. */
export interface AgentIdentity {
  readonly id: string;
  readonly type: string;
  /** The id of the call that started it. */
  readonly callId: string;
  readonly depth: number;
  /** The agent's answer is data in a given form, for the program that started the agent. */
  readonly answersInForm?: true;
}

/**
 * Owned by its query. The host, the model and the tools belong to the caller, and the session never
 * closes them.
 */
export interface Session {
  /** The session's id; sub-agents have the same one. */
  readonly id: string;
  /** Undefined: the session's main agent. */
  readonly agent?: AgentIdentity;
  /**
   * True if a turn waits for the agents that it has started, because nobody would get their results
   * afterwards.
   */
  readonly waitsForAgents: boolean;
  /** A person's prompt that begins with `!` is a cell. */
  readonly cellPrompts: boolean;
  /** All of the session's agents. */
  readonly agents: SessionAgents;
  /**
   * The executor's key for the state of this agent's calls. A sub-agent has its own key, and so its
   * own sandbox.
   */
  readonly executorId: string;
  readonly host: Host;
  /** The tree that the session's calls read and change. */
  readonly root: SessionRoot;
  /**
   * The absolute path of the session's first directory. Rules, settings, definitions and
   * instructions are read from there, even if the session works elsewhere now.
   */
  readonly cwd: string;
  /** The working directory of the session's calls. */
  readonly place: WorkPlace;
  /** Copies of directories, shared by all of the session's agents. */
  readonly copies: KnownCopies;
  /** The model that `models` chooses; a sub-agent has its own. Read it once for each request. */
  readonly model: Model;
  /** Chooses the model of the main agent. */
  readonly models: ModelChoice;
  /** The settings that its tools may read and set. */
  readonly settings: SessionSettings;
  /** The effort of the next requests. Undefined: the model's default. */
  effort: EffortLevel | undefined;
  /** The token budget of a turn, as the model is informed of it. Undefined: none. */
  readonly taskBudget: Pick<TaskBudget, 'total'> | undefined;
  /** The models that are asked in this order if a model refuses or its server is overloaded. */
  readonly fallbackModels: readonly Model[];
  /** All tools, enabled or not: each request's pool is assembled from them. */
  readonly builtInTools: KnownTools;
  /**
   * The host's own tools and those of MCP servers. Read it again each time, because servers come
   * and go.
   */
  readonly ownTools: Tools;
  /** The host's tools that the query's `tools` leave out. */
  readonly unchosenTools: KnownTools;
  /** Undefined until the query has servers. Their tools are among `ownTools`. */
  mcpServers: McpServers | undefined;
  readonly switches: ToolSwitches;
  readonly toolSearchMode: ToolSearchMode;
  /**
   * True: the names of deferred tools are sent once, followed by changes. False: each request has
   * all of the names.
   */
  readonly tellsNamesOnce: boolean;
  /** The recorded events. Entries are added only through it. */
  readonly journal: SessionJournal;
  readonly ids: SessionIds;
  /** The states of the session's tools. */
  readonly states: SessionStates;
  /** The conversation, from the journal. A compaction or a rewind replaces the array: read it again each time. */
  readonly messages: readonly MessageParam[];
  /** The user's prompts in the conversation, oldest first. */
  readonly prompts: readonly string[];
  readonly hashRequest: RequestHash;
  readonly readFileState: SessionReads;
  /** The environment and the instructions that the model has been given. */
  readonly memory: Memory;
  /** The commands that a prompt may begin with: `/name`. */
  readonly commands: Commands;
  /** The trust in the workspace's definitions that would loosen permissions. */
  readonly trust: WorkspaceTrust;
  /** Settings of the workspace that can't apply here, in sentences for a person. */
  readonly settingsProblems: readonly string[];
  /** The plugins in use, and the reasons why others aren't. */
  readonly plugins: FoundPlugins;
  /** The skills, listed again before each prompt. */
  readonly skills: SkillCatalog;
  readonly workflows: Workflows;
  /** The files that the session's calls have created. */
  readonly ownFiles: OwnFiles;
  readonly permissions: PermissionState;
  readonly downloads: Downloads;
  readonly questions: Questions;
  /** The queue of all questions to the person. */
  readonly queue: QuestionQueue;
  /** Counts the turns as work of the host. */
  readonly turnWork: TurnWork;
  /** Undefined: questions of MCP servers are declined. */
  readonly onElicitation: OnElicitation | undefined;
  readonly onUserFile: OnUserFile | undefined;
  /** The cache of web pages. */
  readonly pages: PageCache;
  /** Answers questions about a page. Undefined: the query has none. */
  readonly smallModel: Model | undefined;
  /** The host's own search of the web. */
  readonly webSearch: WebSearch | undefined;
  readonly onPushNotification: OnPushNotification | undefined;
  readonly onRemoteTrigger: OnRemoteTrigger | undefined;
  readonly autoMode: AutoMode;
  /** Undefined if the query was given no hooks. */
  readonly hooks: Hooks | undefined;
  /**
   * The directories of its own files, and of the sessions that it was forked from. See
   * session-files.ts.
   */
  readonly sessionDirectories: readonly string[];
  readonly plan: PlanFiles;
  /** The query's additions to the instructions on plan mode. */
  readonly planModeInstructions: string | undefined;
  /** The session's own files. */
  readonly files: SessionFiles;
  readonly spill: SpillStore;
  readonly trace: RecordingTrace;
  /** How the calls of a message are scheduled. */
  readonly schedule: CallSlotOptions;
  /** Subscribes to new prompts of the user; called at once if one waits already. Returns the unsubscribe function. */
  readonly whenPrompted: (listener: () => void) => () => void;
  /**
   * Gets all messages in order: those derived from the journal, and those that are sent once and
   * not kept. Must not throw.
   */
  readonly emit: (message: SDKMessage) => void;
  /** The background tasks. */
  readonly tasks: SessionTasks;
  /** Undefined if the query has no forge. */
  readonly pullRequests?: SessionPullRequests | undefined;
  /** Undefined if the query schedules nothing. */
  readonly crons?: SessionCronJobs | undefined;
  /** Undefined if the query schedules nothing. */
  readonly wakeups?: SessionWakeups | undefined;
  readonly usage: UsageMeter;
  readonly spending: Spending;
  readonly systemPrompt: SystemPrompt | undefined;
  /** How long the API keeps the cached part of a request. */
  readonly cacheTtl: CacheTtl;
  readonly limits: Omit<WorkLimits, 'timeoutMs'>;
  readonly toolParams: ToolParamWriter;
}

/** The default limits, for a tab on an ordinary machine. */
export const defaultWorkLimits: Omit<WorkLimits, 'timeoutMs'> = {
  // 128 MB: a worker holds a file's bytes, its text and the edited copy at the same time.
  maxFileBytes: 128 * 1024 * 1024,
  // A longer output would be cut from the result anyway.
  maxOutputChars: maxResultBytes,
  maxMemoryBytes: defaultMemoryBytes,
};

/** The present state from which a request's tools are assembled. */
export function toPoolContext(session: Session): PoolContext {
  return {
    builtIn: session.builtInTools,
    others: session.ownTools,
    unchosen: session.unchosenTools,
    switches: {
      ...session.switches,
      mcpServers: session.mcpServers?.isElsewhere() ?? false,
      mcpResources: session.mcpServers?.hasResources(session) ?? false,
    },
    permissions: session.permissions.current(),
  };
}
