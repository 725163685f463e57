// What a caller of query() may say, and its check at the door. Names are the Claude Agent SDK's;
// `host`, `model` (an object, not a name) and tools as objects are ours.
import { SdkError } from '../core/errors.ts';
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
  PermissionRule,
  PermissionRuleSource,
  ToolPermissionContext,
} from '../core/permissions/permission.ts';
import type { Forge } from '../core/host-ports/forge.ts';
import { isRecord } from '../core/values/is-record.ts';
import { isInside, resolvePath } from '../core/path.ts';
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
import type { SystemPrompt } from './context/system-prompt.ts';
import type { HooksOption } from './hooks/hooks.ts';
import type { Host } from './host.ts';
import { checkMode } from './permissions/decide.ts';
import { parseRules } from './permissions/rules.ts';
import type { ToolSearchOption } from './registry/defer.ts';
import type { ToolPresetOption } from './session/settings/tool-presets.ts';
import type { SchedulePolicy } from './calls/schedule.ts';
import type { SessionStore } from './stored-sessions/session-store.ts';
import { readProactive } from './turn/ticks.ts';
import { readTriggers } from './triggers/triggers-option.ts';
import type { TriggersOptions } from './triggers/triggers-option.ts';
import type { ProactiveOptions } from './turn/ticks.ts';

/** As much of the Claude Agent SDK's settings as is read here. */
export interface Settings {
  readonly permissions?: {
    readonly allow?: readonly string[];
    readonly deny?: readonly string[];
    readonly ask?: readonly string[];
    /** Where the query's options name no mode. */
    readonly defaultMode?: PermissionMode;
    /** Taken from the working directory where they aren't absolute. */
    readonly additionalDirectories?: readonly string[];
  };
}

/** Whose settings, instructions and definitions are read: the user's own, the project's, or the user's for the project. */
export type SettingSource = 'user' | 'project' | 'local';

/** A skill, a command or a workflow of the workspace that would loosen something. An agent can't. */
export interface LooseningDefinition {
  /** Absolute. */
  readonly path: string;
  /** Rules that would hold while it is used. Of `.mcp.json`: tools that its policies allow. */
  readonly allow: readonly string[];
  /** Rules that allow and can't hold here. They never do. */
  readonly cannotHold: readonly string[];
  /** Of `.mcp.json`: MCP servers that would be reached, by name. */
  readonly servers?: readonly string[];
}

/** What the workspace's settings and definitions would loosen, for a person to judge. */
export interface WorkspaceTrustQuestion {
  /**
   * Of the files as they are: SHA-256, lower-case hex. A host that keeps a yes keeps it for this
   * hash, so that files which have changed are asked about again.
   */
  readonly hash: string;
  /** Absolute. */
  readonly paths: readonly string[];
  /** Rules that would hold. */
  readonly allow: readonly string[];
  /** Rules that can't hold here, such as those on a shell: they allow, deny or ask nothing. */
  readonly cannotHold: readonly string[];
  readonly additionalDirectories: readonly string[];
  /** Taken only where the query's options name none. */
  readonly mode?: PermissionMode;
  /** Definitions that would loosen something. The hash covers their texts, and `paths` names them, too. */
  readonly definitions: readonly LooseningDefinition[];
}

/**
 * Does a person trust these files? A rejection ends the query before anything runs. `signal` is aborted
 * when the query ends: then the answer is ignored.
 */
export type TrustWorkspace = (
  question: WorkspaceTrustQuestion,
  signal: AbortSignal,
) => boolean | Promise<boolean>;

/** Checked when the query is made: what can't hold is refused before anything runs. */
export interface QueryOptions {
  /** Where the agent runs. Stays the caller's: the query neither closes nor keeps it. */
  readonly host: Host;
  readonly model: Model;
  /**
   * Asked for the rest of a turn, in this order, where the model refuses or its server stays overloaded. The
   * next prompt begins with `model` again.
   */
  readonly fallbackModel?: Model | readonly Model[];
  /**
   * The working directory: an absolute path of an existing directory of the workspace. Relative paths are
   * taken from it, and calls may read and change what is below it. @defaultValue the host's
   */
  readonly cwd?: string;
  /**
   * Built-in tools by name, and tools of your own. Left out, or as a preset: all built-in tools. For
   * those and your own: `[{ type: 'preset', preset: 'default' }, myTool]`. Older names will do, and `Bash` for Repl.
   */
  readonly tools?: readonly (string | Tool | ToolPresetOption)[] | ToolPresetOption;
  /**
   * Servers whose tools are offered beside these, as `mcp__<key>__<tool>`, and deferred unless they say
   * otherwise. `createSdkMcpServer` of rockpool/mcp makes one in process. With the source `project` those of the
   * workspace's `.mcp.json` join them once a person trusts the file; of one name this one is taken.
   */
  readonly mcpServers?: Readonly<Record<string, McpServerConfig>>;
  /**
   * Other names to which tools answer, each with the tool's own: `{ Bash: 'Repl' }` for a model that calls
   * Bash all the same. It is told what Repl takes where it sends a command.
   */
  readonly toolAliases?: Readonly<Record<string, string>>;
  /** Repl, Read and Edit alone of the built-in tools. @defaultValue false */
  readonly simple?: boolean;
  /**
   * The tools on files are called by a cell's code alone, as `tools.Read(…)`, and not by the model.
   * @defaultValue false
   */
  readonly replMode?: boolean;
  /** The host offers search elsewhere: without Glob and Grep. @defaultValue false */
  readonly embeddedSearch?: boolean;
  /** LSP, where the host has language servers: see docs/lsp.md. @defaultValue true */
  readonly lsp?: boolean;
  /**
   * The task list of TaskCreate, TaskGet, TaskUpdate and TaskList, in the place of TodoWrite's simple one.
   * @defaultValue false
   */
  readonly tasksV2?: boolean;
  /**
   * TaskOutput, which waits for a background task or reads what it has printed so far. Without it a task is told
   * of when it ends, and its output file is read. @defaultValue false
   */
  readonly taskOutput?: boolean;
  /**
   * Snip, by which the model takes parts of the conversation out of its context. They stay in the transcript.
   * @defaultValue false
   */
  readonly historySnip?: boolean;
  /**
   * Agents may be made a team (TeamCreate, TeamDelete): members with names, one task list, mail to all. The task
   * list is then that of `tasksV2`. @defaultValue false
   */
  readonly teams?: boolean;
  /**
   * While the session has nothing to do, ticks begin turns: the model goes on by itself, or calls Sleep. It also has
   * SendUserMessage and SendUserFile. The ticks aren't for a query with one prompt, which ends with its answer.
   * @defaultValue false
   */
  readonly proactive?: boolean | ProactiveOptions;
  /**
   * CronCreate, CronDelete, CronList and ScheduleWakeup: prompts begin turns by a schedule, while the session is open. In a query with
   * one prompt they are scheduled for a later opening. See docs/cron.md. @defaultValue false
   */
  readonly triggers?: boolean | TriggersOptions;
  /**
   * SendUserMessage: what the person should read, apart from the model's other text. `proactive` brings it with it.
   * @defaultValue false
   */
  readonly brief?: boolean;
  /** Gives the person what SendUserFile sends. Left out: they are shown where the file stands. */
  readonly onUserFile?: OnUserFile;
  /**
   * Tells the person what PushNotification says, by a channel of yours. @defaultValue in a tab the browser's
   * notifications, where the person has allowed them; elsewhere none
   */
  readonly onPushNotification?: OnPushNotification;
  /**
   * Where sessions run that aren't this one: with it there is RemoteTrigger, and the model may start them, look at them
   * and read what they did. @defaultValue none
   */
  readonly onRemoteTrigger?: OnRemoteTrigger;
  /**
   * EnterWorktree and ExitWorktree: the agent may work in a git work tree of its own, apart from the files as they
   * stand. Rules stay where the session began, and hold in the work tree as well. @defaultValue false
   */
  readonly worktrees?: boolean;
  /**
   * The session's own agent leads and does nothing itself: it has Agent, SendMessage, TaskStop, the task list,
   * AskUserQuestion, no tool on files, and a prompt for that. With `simple` it has Repl, Read and Edit, and
   * beside them Agent, SendMessage and TaskStop. @defaultValue false
   */
  readonly coordinator?: boolean;
  /** When tools are deferred: listed by name until ToolSearch loads them. @defaultValue true */
  readonly toolSearch?: ToolSearchOption;
  /**
   * The names of deferred tools are told once, then only what changed, so that what was sent stays
   * as it is. False: all of them at the head of each request. @defaultValue true
   */
  readonly toolSearchDelta?: boolean;
  /** False: nothing is deferred, whatever `toolSearch` says. @defaultValue true */
  readonly experimentalBetas?: boolean;
  /**
   * The session's own agent is this one of `agents`: its prompt is the system prompt, and it has its tools, model and
   * limits. See docs/agents.md. @defaultValue ours
   */
  readonly agent?: string;
  /** Kinds of sub-agents that the model may ask for, beside ours, by their names. See docs/agents.md. */
  readonly agents?: Readonly<Record<string, AgentDefinition>>;
  /**
   * The models that sub-agents and commands may be given, by the names that definitions and the model use: `sonnet`,
   * `opus`, `haiku`, … One that isn't named here has its caller's. @defaultValue none
   */
  readonly models?: Readonly<Record<string, Model>>;
  /** What sub-agents say is told, too, and not their calls and results alone. @defaultValue false */
  readonly forwardSubagentText?: boolean;
  /**
   * Asks the person what an MCP server wants to know in the midst of a call: a form, or an address to open. Hooks of
   * Elicitation are asked first. Left out: what they leave open is declined.
   */
  readonly onElicitation?: OnElicitation;
  /** Where pull requests are: with it there are SubscribePr and SuggestPr. See `createGitHubForge`. */
  readonly forge?: Forge;
  /**
   * Answers what MCP servers ask of a model (sampling). A person is asked each time, by `canUseTool`, and it is priced
   * with the session. Left out: servers are told that there is none.
   */
  readonly samplingModel?: Model;
  /**
   * A quick model that answers WebFetch's `prompt` over the page, priced with the session. Left out: the page's own text
   * is the result.
   */
  readonly smallModel?: Model;
  /**
   * After each turn that has ended well `smallModel` is asked what the person may say next, from their last prompts and
   * the answer: some 1 000 tokens. `prompt_suggestion` tells it. Not for a query with one prompt. @defaultValue false
   */
  readonly promptSuggestions?: boolean;
  /**
   * Searches the web for WebSearch. Left out: the model's server does, where it has the tool
   * (`createAnthropicModel({ webSearch })`); else the call is refused.
   */
  readonly webSearch?: WebSearch;
  /** Answers permission questions. Left out: what would be asked is refused. */
  readonly canUseTool?: CanUseTool;
  /**
   * Judges calls in mode `auto` in the person's place; `createModelClassifier` makes one of a model.
   * Left out: that mode asks as the default mode does.
   */
  readonly autoClassifier?: AutoClassifier;
  /** @defaultValue 'default' */
  readonly permissionMode?: PermissionMode;
  /** For programs of the Claude Agent SDK, where `bypassPermissions` needs it. False beside that mode is refused. */
  readonly allowDangerouslySkipPermissions?: boolean;
  /** Rules that allow, as `Tool` or `Tool(content)`. */
  readonly allowedTools?: readonly string[];
  /** Rules that deny. Without content the model isn't told of the tool at all. */
  readonly disallowedTools?: readonly string[];
  /** The host's stored settings; of them only permissions are read. */
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
   * The directory of the workspace that stands for the user's home. The source `user` reads its `.claude`. Absolute,
   * outside of the project. It needn't exist.
   */
  readonly homeDirectory?: string;
  /**
   * The session's own agent keeps notes for later sessions, and begins with them: see docs/memory.md. `user` needs
   * `homeDirectory`. @defaultValue no notes
   */
  readonly memory?: AgentMemoryScope;
  /**
   * Asked once when those files would loosen anything. Left out: they only tighten.
   */
  readonly trustWorkspace?: TrustWorkspace;
  /** Skills of the host's own, before those of the workspace: where two have one name, the first is used. */
  readonly skillSources?: readonly SkillSource[];
  /** Which of the skills that are found may be used, by name. @defaultValue 'all' */
  readonly skills?: readonly string[] | 'all';
  /** The host's policy: no update during the session takes any of it back. */
  readonly managedSettings?: Settings;
  /**
   * What holds for calls that reach out once the result of one of them, which may hold text from
   * outside, is in the conversation. Left out: what holds for them in any case.
   */
  readonly egress?: EgressPolicy;
  /** Directories beside the working directory that tools may reach. */
  readonly additionalDirectories?: readonly string[];
  /** Requests that one prompt may take. */
  readonly maxTurns?: number;
  /**
   * US dollars that the whole query may cost, checked before each request: the request that reaches it is
   * the last. Refused for a model without a known price. See `prices`.
   */
  readonly maxBudgetUsd?: number;
  /**
   * What models cost, by the name of each. Replaces the published list prices whole: a model that isn't
   * named has no known price.
   */
  readonly prices?: Readonly<Record<string, ModelPrice>>;
  /**
   * How thoroughly the model works, in the place of its own `effort`. Agents have it, too, unless their definition says
   * otherwise.
   */
  readonly effort?: EffortLevel;
  /** How many calls of one message run at once. @defaultValue 10 */
  readonly maxRunningCalls?: number;
  /** See docs/scheduling.md. @defaultValue 'default' */
  readonly schedulePolicy?: SchedulePolicy;
  /** Shares out running calls between the queries that are given the same one. */
  readonly callLimiter?: CallLimiter;
  /**
   * Each prompt's answer is data of this form: `structured_output` of its `result` message. After five answers that
   * aren't, the result is `error_max_structured_output_retries`. A command that needs no model has none.
   */
  readonly outputFormat?: OutputFormat;
  /** Aborting it ends the query; the turn that runs ends with an error result first. */
  readonly abortController?: AbortController;
  /** Your own functions at events of the session and of each call. Those of the events that
   * docs/hooks.md lists as not firing yet are taken and never run. */
  readonly hooks?: HooksOption;
  /** Yields `hook_started` and `hook_response` for each run of a hook. */
  readonly includeHookEvents?: boolean;
  /** Yields each event of the model's stream too. */
  readonly includePartialMessages?: boolean;
  /**
   * How the tools want to be used, and what MCP servers say of theirs, follows it as a block of its own.
   * @defaultValue our own text
   */
  readonly systemPrompt?: SystemPrompt;
  /** How a plan is to be made here: what the model is told of plan mode ends with it. @defaultValue nothing */
  readonly planModeInstructions?: string;
  /**
   * How long the API keeps what it has read of the conversation, from its last use. An hour costs twice
   * the input's price to write, five minutes 1.25 times. @defaultValue '5m'
   */
  readonly cacheTtl?: CacheTtl;
  /**
   * The id of a new session, or of a fork: letters, digits, `-` and `_`. What the session's tools keep (a Repl's
   * variables) then stays with the host until it is closed. @defaultValue a fresh id
   */
  readonly sessionId?: string;
  /** Goes on with the kept session of this id. Its working directory holds where `cwd` is left out. */
  readonly resume?: string;
  /** Goes on with the session of this working directory in which something was recorded last. */
  readonly continue?: boolean;
  /** With `resume` or `continue`: the old session stays as it is, and a new one begins where it is. */
  readonly forkSession?: boolean;
  /** What a new session, or a fork, is called; one that is gone on with keeps its own. @defaultValue its first prompt */
  readonly title?: string;
  /** With `resume` or `continue`: the uuid of a kept message, behind which the conversation goes on. */
  readonly resumeSessionAt?: string;
  /** For programs of the Claude Agent SDK: files are always kept for `rewindFiles`, so false is refused. */
  readonly enableFileCheckpointing?: boolean;
  /** False: nothing is written, and the session is gone with its end. @defaultValue true */
  readonly persistSession?: boolean;
  /**
   * Ours: files are changed on a branch, and `main` stays as it is until somebody takes the changes, or some of
   * them, by `openDryRun`, with this session's id. @defaultValue false
   */
  readonly dryRun?: boolean;
  /**
   * Where the session is mirrored to while it is kept here, and fetched from where `resume` names one that isn't
   * kept here. Best effort: `mirror_error` tells that sending has begun to fail; it is tried again with what is
   * recorded next.
   */
  readonly sessionStore?: SessionStore;
}

/**
 * The query's own working directory, or the host's. Whether it exists is checked when the session begins.
 *
 * @throws SdkError `bad-usage` for what is no absolute path.
 */
export function toCwd({ cwd, host }: QueryOptions): string {
  if (cwd === undefined) return host.cwd;
  const isPath: boolean = typeof cwd === 'string' && cwd.startsWith('/');
  if (isPath && resolvePath('/', cwd) === cwd) return cwd;
  return refuse(
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
  const directories = additionalDirectories.map((path): [string, PermissionRuleSource] => [
    resolvePath(cwd, path),
    'cliArg',
  ]);
  const notes = toOwnNotes(options, cwd);
  return {
    mode: checkMode(options.permissionMode ?? 'default'),
    rules: [
      ...parseRules(options.disallowedTools ?? [], 'deny', 'cliArg'),
      ...parseRules(options.allowedTools ?? [], 'allow', 'cliArg'),
      ...readSettings(managedSettings, 'managedSettings'),
      ...readSettings(settings, 'userSettings'),
    ],
    additionalWorkingDirectories: new Map(directories),
    ...(notes && { notes }),
    ...(options.egress && { egress: checkChoice('egress', options.egress, 'ask', 'deny') }),
  };
}

/** @throws SdkError `bad-usage` for what is no scope, and for `user` without a home. */
function toOwnNotes(
  { memory: scope, homeDirectory: home }: QueryOptions,
  cwd: string,
): NotesPlace | undefined {
  if (scope === undefined) return undefined;
  if (isMemoryScope(scope)) return toNotesPlace(scope, mainAgentName, { cwd, home });
  return refuse(
    `memory is 'user', 'project' or 'local': whose the notes are. It isn't ${JSON.stringify(scope)}.`,
    { memory: scope },
  );
}

const knownSources: ReadonlySet<unknown> = new Set<SettingSource>(['user', 'project', 'local']);

/** @throws SdkError `bad-usage` for what names no settings file, and for a home that can't be one. */
export function checkSettingSources(options: QueryOptions): void {
  const { settingSources: sources = [], homeDirectory } = options;
  const unknown = sources.find((source) => !knownSources.has(source));
  if (unknown !== undefined) {
    refuse(`settingSources has "${String(unknown)}". Use 'user', 'project' and 'local'.`, {
      source: unknown,
    });
  }
  if (homeDirectory === undefined) {
    if (!sources.includes('user')) return;
    refuse(
      "settingSources has 'user', and there is no homeDirectory. Give one, such as '/user': a directory of the workspace that holds the user's .claude.",
      { source: 'user' },
    );
  }
  const isPath: boolean = typeof homeDirectory === 'string' && homeDirectory.startsWith('/');
  if (!isPath || resolvePath('/', homeDirectory) !== homeDirectory) {
    refuse(
      `homeDirectory must be an absolute path such as "/user", without ".", ".." and a "/" at its end, not ${JSON.stringify(homeDirectory)}.`,
      { homeDirectory },
    );
  }
  if (isInside(toCwd(options), homeDirectory)) {
    refuse(
      `homeDirectory is "${homeDirectory}", which is in the working directory: what is there may have come with the project. Choose a directory outside.`,
      { homeDirectory },
    );
  }
}

/** @throws SdkError `bad-usage` for what gives no skills, or chooses none that could be. */
export function checkSkillOptions({ skillSources = [], skills = 'all' }: QueryOptions): void {
  const example = "{ name: 'team', list: async () => [], read: async (name) => '…' }";
  if (!Array.isArray(skillSources)) {
    refuse(`skillSources is a list: [${example}].`, { option: 'skillSources' });
  }
  for (const [at, source] of (skillSources as readonly unknown[]).entries()) {
    const { name, list, read } = isRecord(source) ? source : {};
    const isWhole = typeof list === 'function' && typeof read === 'function';
    if (typeof name !== 'string' || name === '' || !isWhole) {
      refuse(`skillSources has no source at ${at}: write ${example}.`, { option: 'skillSources' });
    }
    if (skillSources.findIndex((other) => other.name === name) !== at) {
      refuse(`skillSources has two sources named "${name}". Rename one.`, { name });
    }
  }
  const isChoice = Array.isArray(skills) && skills.every((name) => typeof name === 'string');
  if (skills === 'all' || isChoice) return;
  refuse("skills is 'all', or a list of names: ['review'].", { option: 'skills' });
}

/** @throws SdkError `bad-usage` for what is neither. */
function checkChoice<T extends string>(name: string, value: T, ...[one, other]: [T, T]): T {
  if (value === one || value === other) return value;
  refuse(`${name} is '${one}' or '${other}', not "${String(value)}".`, { [name]: value });
}

function readSettings(
  { permissions = {} }: Settings = {},
  source: PermissionRuleSource,
): PermissionRule[] {
  if (typeof permissions !== 'object' || permissions === null) {
    refuse("permissions of settings is an object: { allow: ['Edit(src/**)'] }.", { source });
  }
  const { allow = [], deny = [], ask = [] } = permissions;
  return [
    ...parseRules(deny, 'deny', source),
    ...parseRules(ask, 'ask', source),
    ...parseRules(allow, 'allow', source),
  ];
}

/** @throws SdkError `bad-usage` for an impossible limit or price, or an unknown choice. */
export function checkLimits(options: QueryOptions): void {
  for (const name of ['maxTurns', 'maxRunningCalls'] as const) {
    const { [name]: limit = 1 } = options;
    if (Number.isInteger(limit) && limit > 0) continue;
    refuse(`${name} must be a whole number above 0, not ${limit}.`, { [name]: limit });
  }
  const { maxBudgetUsd = 1, prices } = options;
  if (!(Number.isFinite(maxBudgetUsd) && maxBudgetUsd > 0)) {
    refuse(`maxBudgetUsd must be a number of US dollars above 0, not ${maxBudgetUsd}.`, {
      maxBudgetUsd,
    });
  }
  if (prices !== undefined) checkPrices(prices);
  readProactive(options.proactive);
  readTriggers(options.triggers);
  checkChoice('cacheTtl', options.cacheTtl ?? '5m', '5m', '1h');
  checkChoice('schedulePolicy', options.schedulePolicy ?? 'default', 'default', 'sema');
}

const priceKinds = {
  input: true,
  output: true,
  cacheRead: false,
  cacheWrite: false,
  cacheWriteHour: false,
  webSearch: false,
} satisfies Record<keyof ModelPrice, boolean>;

function checkPrices(prices: NonNullable<QueryOptions['prices']>): void {
  const example = "prices: { 'my-model': { input: 3, output: 15 } }";
  if (!isRecord(prices)) refuse(`prices is an object: ${example}.`, { option: 'prices' });
  for (const [model, price] of Object.entries(prices)) {
    const given: Readonly<Record<string, unknown>> = isRecord(price) ? price : {};
    const kinds = Object.entries(priceKinds);
    const isWhole =
      Object.keys(given).every((kind) => kind in priceKinds) &&
      kinds.every(([kind, isNeeded]) => isPrice(given[kind], isNeeded));
    if (isWhole) continue;
    refuse(
      `prices has no price for ${model}: write ${example}, in US dollars a million tokens; ${kinds.map(([kind]) => kind).join(', ')} are the kinds.`,
      { option: 'prices', model },
    );
  }
}

function isPrice(value: unknown, isNeeded: boolean): boolean {
  if (value === undefined) return !isNeeded;
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function refuse(message: string, data: Record<string, unknown>): never {
  throw new SdkError('bad-usage', message, { data });
}
