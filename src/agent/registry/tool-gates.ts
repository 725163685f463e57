// The tables that decide which built-in tools a query may have. Used by assemble.ts and defer.ts. A
// name may be here before its tool exists.

/** The options of a query and the features of its host that decide which tools it has. */
export interface ToolSwitches {
  /** Only Repl, Read and Edit. */
  readonly simple?: boolean;
  /** Only cells work on files: see {@link insideOnlyTools}. */
  readonly replMode?: boolean;
  /** False: no tool is ever deferred. */
  readonly toolSearch?: boolean;
  /** The host provides search in another way. */
  readonly embeddedSearch?: boolean;
  readonly tasksV2?: boolean;
  /** A tool can wait for background tasks and read their output. */
  readonly taskOutput?: boolean;
  readonly worktrees?: boolean;
  readonly teams?: boolean;
  /** The host has language servers. */
  readonly lsp?: boolean;
  readonly proactive?: boolean;
  readonly brief?: boolean;
  readonly triggers?: boolean;
  readonly historySnip?: boolean;
  readonly coordinator?: boolean;
  /** The host has a forge for pull requests. */
  readonly forge?: boolean;
  /** The host has a runtime for other sessions. */
  readonly remoteTrigger?: boolean;
  /** The host has a preview of the workspace's own app. */
  readonly preview?: boolean;
  /** The host can deliver files to the user. */
  readonly userFileBridge?: boolean;
  /** The session belongs to an agent that may start no other agent. */
  readonly lastAgent?: boolean;
  /** A connected server offers resources. */
  readonly mcpResources?: boolean;
  /** The query has remote servers, which may still be connecting. */
  readonly mcpServers?: boolean;
  /** The caller gave a schema for the final answer. */
  readonly outputSchema?: boolean;
}

/** What a tool's gate may depend on, by its name among the switches. */
export type ToolSwitch = keyof ToolSwitches;

/** Present while any of `needs` is on, or while `unless` is off. */
export type ToolGate = { readonly needs: readonly ToolSwitch[] } | { readonly unless: ToolSwitch };

const tasks: ToolGate = { needs: ['tasksV2'] };
const worktrees: ToolGate = { needs: ['worktrees'] };
const teams: ToolGate = { needs: ['teams'] };
const proactive: ToolGate = { needs: ['proactive'] };
const triggers: ToolGate = { needs: ['triggers'] };
const forge: ToolGate = { needs: ['forge'] };
const search: ToolGate = { unless: 'embeddedSearch' };

/** The conditional tools. A tool that isn't listed is always present. */
export const toolGates: ReadonlyMap<string, ToolGate> = new Map<string, ToolGate>([
  ['Agent', { unless: 'lastAgent' }],
  ['Glob', search],
  ['Grep', search],
  // A query has one task list: TodoWrite or the Task tools.
  ['TodoWrite', { unless: 'tasksV2' }],
  ['TaskCreate', tasks],
  ['TaskGet', tasks],
  ['TaskUpdate', tasks],
  ['TaskList', tasks],
  ['TaskOutput', { needs: ['taskOutput'] }],
  ['EnterWorktree', worktrees],
  ['ExitWorktree', worktrees],
  ['SubscribePr', forge],
  ['SuggestPr', forge],
  ['RemoteTrigger', { needs: ['remoteTrigger'] }],
  ['TeamCreate', teams],
  ['TeamDelete', teams],
  ['ToolSearch', { needs: ['toolSearch'] }],
  ['LSP', { needs: ['lsp'] }],
  ['Sleep', proactive],
  ['SendUserFile', proactive],
  ['SendUserMessage', { needs: ['brief', 'proactive'] }],
  ['CronCreate', triggers],
  ['CronDelete', triggers],
  ['CronList', triggers],
  ['ScheduleWakeup', triggers],
  ['WebBrowser', { needs: ['preview'] }],
  ['Snip', { needs: ['historySnip'] }],
]);

/** Absent from every pool until the switch is on, whatever the other options. */
export const specialTools: ReadonlyMap<string, ToolSwitch> = new Map([
  ['ListMcpResourcesTool', 'mcpResources'],
  ['ReadMcpResourceDirTool', 'mcpResources'],
  ['ReadMcpResourceTool', 'mcpResources'],
  ['SyntheticOutput', 'outputSchema'],
  ['WaitForMcpServers', 'mcpServers'],
]);

/** The tools that `simple` keeps. */
export const simpleTools: ReadonlySet<string> = new Set(['Repl', 'Read', 'Edit']);

/** The tools that `simple` also keeps for a coordinator. */
export const coordinatorTools: ReadonlySet<string> = new Set(['Agent', 'SendMessage', 'TaskStop']);

/**
 * The tools that `coordinator` keeps for the main agent, which delegates all work to its agents.
 */
export const leadTools: ReadonlySet<string> = new Set([
  ...coordinatorTools,
  ...[
    'AskUserQuestion',
    'ListAgents',
    'TaskCreate',
    'TaskGet',
    'TaskUpdate',
    'TaskList',
    'TodoWrite',
  ],
  ...['TeamCreate', 'TeamDelete', 'ToolSearch'],
]);

/** With `replMode` only a cell's code calls these, as `tools.Read(…)`, and not the model. */
export const insideOnlyTools: ReadonlySet<string> = new Set([
  'Read',
  'Write',
  'Edit',
  'Glob',
  'Grep',
  'NotebookEdit',
]);

/** Tools that aren't deferred while all of their switches are on. An empty list: never deferred. */
export const keptLoaded: ReadonlyMap<string, readonly ToolSwitch[]> = new Map([
  ['ToolSearch', []],
  ['Sleep', ['proactive']],
  ['SendUserMessage', ['proactive']],
  ['SendUserFile', ['proactive', 'userFileBridge']],
]);

/** The tool that loads deferred tools. Without it in the pool, no tool is deferred. */
export const searchToolName = 'ToolSearch';
