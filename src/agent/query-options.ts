// The options of query(), and what follows from them. Names are the Claude Agent SDK's; `host`, `model` (an object,
// not a name) and tools as objects are ours.
import { refuseUse } from '../core/errors.ts';
import type { OnElicitation } from '../core/mcp/mcp-exchange.ts';
import type { OnUserFile } from '../core/host-ports/user-file.ts';
import type { OnRemoteTrigger } from '../core/host-ports/remote-trigger.ts';
import type { OnPushNotification } from '../core/host-ports/user-notification.ts';
import type { McpServerConfig } from '../core/mcp/mcp-server.ts';
import type {
  AutoClassifier,
  CanUseTool,
  EgressPolicy,
  NotesPlace,
  PermissionMode,
  ToolPermissionContext,
} from '../core/permissions/permission.ts';
import type { Forge } from '../core/host-ports/forge.ts';
import { resolvePath } from '../core/path.ts';
import type { EffortLevel } from '../core/messages/effort.ts';
import type { OutputFormat } from '../core/messages/output-format.ts';
import type { SkillSource } from '../core/commands/skill.ts';
import type { Tool } from '../core/tool/tool.ts';
import type { WebSearch } from '../core/host-ports/web-search.ts';
import type { CacheTtl, Model } from '../model/model.ts';
import type { ModelPrice } from '../model/pricing.ts';
import type { AgentDefinition } from './agents/definitions.ts';
import type { CallLimiter } from './calls/call-limiter.ts';
import { isMemoryScope, mainAgentName, toNotesPlace } from './context/agent-notes.ts';
import type { AgentMemoryScope } from './context/agent-notes.ts';
import type { SystemPrompt } from './context/system-prompt-option.ts';
import type { HooksOption } from './hooks/hooks.ts';
import type { Host } from './host.ts';
import { checkMode } from './permissions/decide.ts';
import { parseRules } from './permissions/rules.ts';
import { readDirectories, readFlagLayer, readSettingsRules } from './permissions/settings-rules.ts';
import type { SdkPluginConfig } from './plugins/plugin.ts';
import type { ToolSearchOption } from './registry/defer.ts';
import type { ToolPresetOption } from './session/settings/tool-presets.ts';
import type { SchedulePolicy } from './calls/schedule.ts';
import type { SessionStore, SessionStoreFlush } from './stored-sessions/session-store.ts';
import type { TriggersOptions } from './triggers/triggers-option.ts';
import type { ProactiveOptions } from './turn/ticks.ts';

/** The part of the Claude Agent SDK's settings that is read here. */
export interface Settings {
  readonly permissions?: {
    readonly allow?: readonly string[];
    readonly deny?: readonly string[];
    readonly ask?: readonly string[];
    /** The mode, if the query's options name none. */
    readonly defaultMode?: PermissionMode;
    /** Absolute, or relative to the working directory. */
    readonly additionalDirectories?: readonly string[];
  };
}

/**
 * Whose settings, instructions and definitions are read: the user's, the project's, or the user's own for the
 * project.
 */
export type SettingSource = 'user' | 'project' | 'local';

/** A skill, command or workflow of the workspace that would loosen permissions. A sub-agent's definition can't. */
export interface LooseningDefinition {
  /** Absolute. */
  readonly path: string;
  /** Allow rules that would hold while it is used. For `.mcp.json`: the tools that its policies allow. */
  readonly allow: readonly string[];
  /** Allow rules that can't apply here, and never do. */
  readonly cannotHold: readonly string[];
  /** For `.mcp.json`: the names of the MCP servers that would be connected. */
  readonly servers?: readonly string[];
}

/** What the workspace's settings and definitions would loosen, for a person to judge. */
export interface WorkspaceTrustQuestion {
  /**
   * SHA-256 of the files, in lower-case hex. A host that stores a yes stores it for this hash, so that a
   * person is asked again about changed files.
   */
  readonly hash: string;
  /** Absolute. */
  readonly paths: readonly string[];
  /** Allow rules that would hold. */
  readonly allow: readonly string[];
  /** Rules that can't apply here, such as those on a shell: they have no effect. */
  readonly cannotHold: readonly string[];
  readonly additionalDirectories: readonly string[];
  /** The mode that would hold, if the query's options name none. */
  readonly mode?: PermissionMode;
  /** Definitions that would loosen permissions. The hash covers their texts, and `paths` includes them. */
  readonly definitions: readonly LooseningDefinition[];
}

/**
 * Resolves to whether a person trusts these files. A rejection ends the query before anything runs. `signal` is
 * aborted when the query ends; the answer is then ignored.
 */
export type TrustWorkspace = (
  question: WorkspaceTrustQuestion,
  signal: AbortSignal,
) => boolean | Promise<boolean>;

/** The options of a query or a session. Invalid ones are refused before anything runs. */
export interface QueryOptions {
  /** Where the agent runs. The caller owns it: the query doesn't close it. */
  readonly host: Host;
  readonly model: Model;
  /**
   * The models that answer the rest of a turn, in this order, if the model refuses or its server stays overloaded.
   * The next prompt begins with `model` again.
   */
  readonly fallbackModel?: Model | readonly Model[];
  /**
   * The working directory: the absolute path of an existing directory of the workspace. Relative paths start
   * there, and calls may read and change what is below it. @defaultValue the host's
   */
  readonly cwd?: string;
  /**
   * Built-in tools by name, and tools of your own. Left out, or as a preset: all built-in tools. For all of
   * them and your own: `[{ type: 'preset', preset: 'default' }, myTool]`. Older names are accepted, and `Bash`
   * for Repl.
   */
  readonly tools?: readonly (string | Tool | ToolPresetOption)[] | ToolPresetOption;
  /**
   * MCP servers. Their tools are offered as `mcp__<key>__<tool>`, and deferred unless they say otherwise.
   * `createSdkMcpServer` of rockpool/mcp makes one in process. With the source `project`, servers
   * of the workspace's `.mcp.json` join once a person trusts the file. A server named here replaces
   * one of the same name there.
   */
  readonly mcpServers?: Readonly<Record<string, McpServerConfig>>;
  /**
   * Other names for tools: `{ Bash: 'Repl' }` for a model that calls Bash nevertheless. If it sends a shell
   * command, it is told what Repl takes.
   */
  readonly toolAliases?: Readonly<Record<string, string>>;
  /** Only Repl, Read and Edit of the built-in tools. @defaultValue false */
  readonly simple?: boolean;
  /**
   * File tools can only be called by a cell's code, as `tools.Read(…)`, and not by the model.
   * @defaultValue false
   */
  readonly replMode?: boolean;
  /** Leaves out Glob and Grep, for a host that offers search in another way. @defaultValue false */
  readonly embeddedSearch?: boolean;
  /** The tool LSP, if the host has language servers: see docs/lsp.md. @defaultValue true */
  readonly lsp?: boolean;
  /**
   * The task list of TaskCreate, TaskGet, TaskUpdate and TaskList, instead of TodoWrite's simple one.
   * @defaultValue false
   */
  readonly tasksV2?: boolean;
  /**
   * The tool TaskOutput, which waits for a background task or reads what it has printed so far. Without it the model
   * learns of a task's end, and reads its output file. @defaultValue false
   */
  readonly taskOutput?: boolean;
  /**
   * The tool Snip, by which the model removes parts of the conversation from its context. They stay in the
   * transcript. @defaultValue false
   */
  readonly historySnip?: boolean;
  /**
   * Teams of agents (TeamCreate, TeamDelete): named members, one task list, mail to all. The task list is then that of
   * `tasksV2`. @defaultValue false
   */
  readonly teams?: boolean;
  /**
   * While the session is idle, ticks begin turns: the model continues by itself, or calls Sleep. It also has
   * SendUserMessage and SendUserFile. A query with one prompt has no ticks, because it ends with its answer.
   * @defaultValue false
   */
  readonly proactive?: boolean | ProactiveOptions;
  /**
   * CronCreate, CronDelete, CronList and ScheduleWakeup: prompts begin turns by a schedule, while the session is open.
   * A query with one prompt schedules for a later opening. See docs/cron.md. @defaultValue false
   */
  readonly triggers?: boolean | TriggersOptions;
  /**
   * The tool SendUserMessage, for what the person should read apart from the model's other text. `proactive` includes
   * it. @defaultValue false
   */
  readonly brief?: boolean;
  /** Hands the files of SendUserFile to the person. Left out: the person is shown their path. */
  readonly onUserFile?: OnUserFile;
  /**
   * Sends the messages of PushNotification by a channel of yours. @defaultValue in a tab the browser's notifications,
   * if the person has allowed them; elsewhere none
   */
  readonly onPushNotification?: OnPushNotification;
  /**
   * A runtime for other sessions. It adds the tool RemoteTrigger, by which the model starts them, looks at them and
   * reads what they did. @defaultValue none
   */
  readonly onRemoteTrigger?: OnRemoteTrigger;
  /**
   * EnterWorktree and ExitWorktree: the agent may work in a git work tree of its own. Relative rules still start where
   * the session began, and hold in the work tree as well. @defaultValue false
   */
  readonly worktrees?: boolean;
  /**
   * The session's main agent only leads others: it has Agent, SendMessage, TaskStop, the task list, AskUserQuestion,
   * no file tools, and a prompt for that. With `simple` it has Repl, Read, Edit, Agent, SendMessage and TaskStop.
   * @defaultValue false
   */
  readonly coordinator?: boolean;
  /** When tools are deferred, that is, listed by name until ToolSearch loads them. @defaultValue true */
  readonly toolSearch?: ToolSearchOption;
  /**
   * The names of deferred tools are sent once, and then only changes, so that the sent part stays the same for the
   * cache. False: all names are sent at the beginning of each request. @defaultValue true
   */
  readonly toolSearchDelta?: boolean;
  /** False: nothing is deferred, whatever `toolSearch` says. @defaultValue true */
  readonly experimentalBetas?: boolean;
  /**
   * The name in `agents` of the definition for the session's main agent: its prompt becomes the system prompt, and
   * its tools, model and limits apply. See docs/agents.md. @defaultValue Rockpool's own agent
   */
  readonly agent?: string;
  /** Definitions of sub-agents by name, beside the built-in ones. See docs/agents.md. */
  readonly agents?: Readonly<Record<string, AgentDefinition>>;
  /**
   * The models of sub-agents and commands, by the names that definitions and the model use, such as
   * `sonnet`, `opus` and `haiku`. For any other name the caller's model is used. @defaultValue none
   */
  readonly models?: Readonly<Record<string, Model>>;
  /**
   * No prompt is a command, whatever it begins with. Use it for prompts with text that the person hasn't typed. For a
   * single message use `client_composed: true`. @defaultValue false
   */
  readonly verbatimPrompts?: boolean;
  /**
   * A prompt that begins with `!` is a cell of JavaScript: Repl runs it under the same rules as the agent's cells, and no
   * model is asked. The model gets cell and result with the next prompt. Not with an image, `client_composed` or
   * `verbatimPrompts`. @defaultValue false
   */
  readonly cellPrompts?: boolean;
  /** Also yields the texts of sub-agents, not only their calls and results. @defaultValue false */
  readonly forwardSubagentText?: boolean;
  /**
   * Asks the person on behalf of an MCP server during a call: by a form, or by an address to open. Elicitation hooks
   * are asked first. Left out: requests that hooks don't answer are declined.
   */
  readonly onElicitation?: OnElicitation;
  /** The forge of the pull requests. It adds SubscribePr and SuggestPr. See `createGitHubForge`. */
  readonly forge?: Forge;
  /**
   * The model for requests of MCP servers (sampling). A person is asked each time, by `canUseTool`; the cost is the
   * session's. Left out: servers are told that there is no model.
   */
  readonly samplingModel?: Model;
  /**
   * A fast model that answers WebFetch's `prompt` about the page; the cost is the session's. Left out: the result is
   * the page's text.
   */
  readonly smallModel?: Model;
  /**
   * After each successful turn `smallModel` is asked what the person may say next, from their last prompts and the
   * answer (some 1 000 tokens). The message is `prompt_suggestion`. A query with one prompt has none. @defaultValue
   * false
   */
  readonly promptSuggestions?: boolean;
  /**
   * Searches the web for WebSearch. Left out: the model's server searches, if it can
   * (`createAnthropicModel({ webSearch })`); otherwise the call is refused.
   */
  readonly webSearch?: WebSearch;
  /** Answers permission questions. Left out: calls that need an answer are refused. */
  readonly canUseTool?: CanUseTool;
  /**
   * The tool of an MCP server that answers permission questions, such as `mcp__guard__approve`. Its server is among
   * `mcpServers`. Nobody else can call it. See docs/permissions.md. @defaultValue `canUseTool` answers
   */
  readonly permissionPromptToolName?: string;
  /**
   * `none`: nobody answers. Calls that rules, mode and hooks leave open are refused at once, also in a session that
   * would wait for `answer`. @defaultValue 'host'
   */
  readonly permissionPrompts?: 'host' | 'none';
  /**
   * Judges calls in mode `auto` instead of the person; `createModelClassifier` makes one from a model.
   * Left out: that mode asks as the default mode does.
   */
  readonly autoClassifier?: AutoClassifier;
  /** @defaultValue 'default' */
  readonly permissionMode?: PermissionMode;
  /** For compatibility: in the Claude Agent SDK `bypassPermissions` needs it. With that mode, false is refused. */
  readonly allowDangerouslySkipPermissions?: boolean;
  /** Allow rules: `Tool` or `Tool(content)`. */
  readonly allowedTools?: readonly string[];
  /** Deny rules. A rule without content hides the tool from the model. */
  readonly disallowedTools?: readonly string[];
  /** The host's stored settings. Only their permissions are read. */
  readonly settings?: Settings;
  /**
   * Which settings files of the workspace hold too: `project` is `.claude/settings.json` below the
   * working directory, `local` is `.claude/settings.local.json`. Read once, when the query starts.
   * And whose instructions the model is told: `project` is CLAUDE.md, AGENTS.md and `.claude/rules`,
   * `local` is CLAUDE.local.md. See docs/memory.md. `project` also switches on the skills below
   * `.claude/skills` and `.agents/skills` (docs/skills.md), commands and agents. `user` is all of that below
   * `homeDirectory`.
   *
   * @defaultValue none
   */
  readonly settingSources?: readonly SettingSource[];
  /**
   * The directory of the workspace that is the user's home. The source `user` reads its `.claude`. Absolute, outside
   * of the project. It needn't exist.
   */
  readonly homeDirectory?: string;
  /**
   * The session's main agent keeps notes for later sessions, and begins with the notes of earlier ones: see
   * docs/memory.md. `user` needs `homeDirectory`. @defaultValue no notes
   */
  readonly memory?: AgentMemoryScope;
  /** Asked once if the workspace's files would loosen permissions. Left out: they only tighten. */
  readonly trustWorkspace?: TrustWorkspace;
  /**
   * Folders of the workspace with commands, sub-agents, skills and MCP servers: see docs/plugins.md. Parts that would
   * loosen permissions take effect only after `trustWorkspace`. @defaultValue none
   */
  readonly plugins?: readonly SdkPluginConfig[];
  /** Skills of the host. They have precedence over the workspace's skills of the same name. */
  readonly skillSources?: readonly SkillSource[];
  /** Which of the skills that are found may be used, by name. @defaultValue 'all' */
  readonly skills?: readonly string[] | 'all';
  /** The host's policy. No update during the session can revoke any of it. */
  readonly managedSettings?: Settings;
  /**
   * The policy for calls that reach out of the session, once text from outside may be in the conversation. Left
   * out: the usual rules.
   */
  readonly egress?: EgressPolicy;
  /** Further directories that tools may reach. */
  readonly additionalDirectories?: readonly string[];
  /** How many model requests one prompt may take. */
  readonly maxTurns?: number;
  /**
   * The budget of the whole session in US dollars, earlier queries of it included. It is checked before each request,
   * so the request that exceeds it is the last. Refused for a model without a known price: see `prices`.
   */
  readonly maxBudgetUsd?: number;
  /**
   * The prices of models, by name. They replace the built-in list entirely: a model that isn't named has no
   * known price.
   */
  readonly prices?: Readonly<Record<string, ModelPrice>>;
  /**
   * How thoroughly the model works, instead of its own `effort`. It also holds for sub-agents, unless their
   * definition has another.
   */
  readonly effort?: EffortLevel;
  /**
   * How many tokens one prompt may take, thinking and results of calls included. The model is told the remaining
   * budget, and ends its work in time; nothing is cut. For models whose server supports it (docs/models.md).
   * @defaultValue no budget
   */
  readonly taskBudget?: { readonly total: number };
  /** How many calls of one message run at once. @defaultValue 10 */
  readonly maxRunningCalls?: number;
  /** See docs/scheduling.md. @defaultValue 'default' */
  readonly schedulePolicy?: SchedulePolicy;
  /** Shares the permitted number of running calls between all queries that have the same limiter. */
  readonly callLimiter?: CallLimiter;
  /**
   * The form of each prompt's answer, which is `structured_output` of its `result` message. After five answers that
   * don't match, the result is `error_max_structured_output_retries`. A command that needs no model has none.
   */
  readonly outputFormat?: OutputFormat;
  /** Abort it to end the query. The running turn first ends with an error result. */
  readonly abortController?: AbortController;
  /**
   * Your functions at events of the session and of each call. Hooks of the events that docs/hooks.md lists as not
   * firing yet are accepted and never run.
   */
  readonly hooks?: HooksOption;
  /** Also yields `hook_started` and `hook_response` for each run of a hook. */
  readonly includeHookEvents?: boolean;
  /** Also yields each event of the model's stream. */
  readonly includePartialMessages?: boolean;
  /**
   * The system prompt. The usage texts of the tools, and the instructions of MCP servers, follow it in a separate
   * block.
   * @defaultValue Rockpool's own text
   */
  readonly systemPrompt?: SystemPrompt;
  /**
   * How to make a plan in this project. The text is appended to the model's instructions for plan mode. @defaultValue
   * nothing
   */
  readonly planModeInstructions?: string;
  /**
   * How long the API caches the conversation after each use. Writing to the cache costs twice the input's price
   * for an hour, and 1.25 times for five minutes. @defaultValue '5m'
   */
  readonly cacheTtl?: CacheTtl;
  /**
   * The id of a new session, or of a fork: letters, digits, `-` and `_`. With an id the host keeps the state of the
   * session's tools (a Repl's variables) until it is closed. @defaultValue a fresh id
   */
  readonly sessionId?: string;
  /** Continues the stored session of this id, in its own working directory unless `cwd` is given. */
  readonly resume?: string;
  /** Continues the session of this working directory that has the newest entry. */
  readonly continue?: boolean;
  /** With `resume` or `continue`: begins a new session where the old one is, which stays unchanged. */
  readonly forkSession?: boolean;
  /** The title of a new session or a fork; a continued session keeps its own. @defaultValue its first prompt */
  readonly title?: string;
  /** With `resume` or `continue`: the uuid of the stored message after which the conversation continues. */
  readonly resumeSessionAt?: string;
  /** For compatibility with the Claude Agent SDK: checkpoints are always made, so false is refused. */
  readonly enableFileCheckpointing?: boolean;
  /** False: the session isn't stored, and is lost when it ends. @defaultValue true */
  readonly persistSession?: boolean;
  /**
   * Ours: files are changed on a branch, and `main` stays as it is. `openDryRun` with this session's id takes the
   * changes, or some of them. @defaultValue false
   */
  readonly dryRun?: boolean;
  /**
   * A store to which the session is mirrored, and from which `resume` fetches a session that isn't stored here. Best
   * effort: `mirror_error` reports that sending fails; it is tried again with the next entries.
   */
  readonly sessionStore?: SessionStore;
  /** When entries are sent to `sessionStore`. @defaultValue 'eager' */
  readonly sessionStoreFlush?: SessionStoreFlush;
  /** How long `load` of `sessionStore` may take, in milliseconds. Then the opening fails. @defaultValue 60 000 */
  readonly loadTimeoutMs?: number;
}

/**
 * The query's own working directory, or the host's. Whether it exists is checked when the session begins.
 *
 * @throws SdkError `bad-usage` if it isn't an absolute path.
 */
export function toCwd({ cwd, host }: QueryOptions): string {
  if (cwd === undefined) return host.cwd;
  const isPath: boolean = typeof cwd === 'string' && cwd.startsWith('/');
  if (isPath && resolvePath('/', cwd) === cwd) return cwd;
  return refuseUse(
    `cwd must be an absolute path such as "/workspace/app", without ".", ".." and a "/" at its end, not ${JSON.stringify(cwd)}.`,
    { cwd },
  );
}

/**
 * The rules and the mode that the options ask for.
 *
 * @throws SdkError `bad-usage` or `invalid-input` with what to write instead.
 */
export function toPermissionContext(options: QueryOptions): ToolPermissionContext {
  const { settings, managedSettings, additionalDirectories = [] } = options;
  const cwd = toCwd(options);
  const flags = readFlagLayer(settings, cwd);
  const directories = [
    ...flags.directories.map((path) => [path, 'flagSettings'] as const),
    ...readDirectories(additionalDirectories, 'additionalDirectories', cwd).map(
      (path) => [path, 'cliArg'] as const,
    ),
  ];
  const notes = toOwnNotes(options, cwd);
  return {
    mode: checkMode(options.permissionMode ?? 'default'),
    rules: [
      ...parseRules(options.disallowedTools ?? [], 'deny', 'cliArg'),
      ...parseRules(options.allowedTools ?? [], 'allow', 'cliArg'),
      ...readSettingsRules(managedSettings, 'managedSettings'),
      ...flags.rules,
    ],
    additionalWorkingDirectories: new Map(directories),
    ...(notes && { notes }),
    ...(options.egress && { egress: checkChoice('egress', options.egress, 'ask', 'deny') }),
  };
}

/** @throws SdkError `bad-usage` for an unknown scope, and for `user` without a home. */
function toOwnNotes(
  { memory: scope, homeDirectory: home }: QueryOptions,
  cwd: string,
): NotesPlace | undefined {
  if (scope === undefined) return undefined;
  if (isMemoryScope(scope)) return toNotesPlace(scope, mainAgentName, { cwd, home });
  return refuseUse(
    `memory is 'user', 'project' or 'local': whose the notes are. It isn't ${JSON.stringify(scope)}.`,
    { memory: scope },
  );
}

/** @throws SdkError `bad-usage` for any other value. */
export function checkChoice<T extends string>(name: string, value: T, ...[one, other]: [T, T]): T {
  if (value === one || value === other) return value;
  refuseUse(`${name} is '${one}' or '${other}', not "${String(value)}".`, { [name]: value });
}
