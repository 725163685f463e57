// Which built-in tools a query may have: the tables that assemble.ts and defer.ts use. A name may be listed
// here before its tool exists; the tool then only has to join the catalogue.

/** The options of a query and the features of its host that decide which tools it has. */
export interface ToolSwitches {
  /** Repl, Read and Edit alone. */
  readonly simple?: boolean;
  /** Files are worked on from inside cells only: see {@link insideOnlyTools}. */
  readonly replMode?: boolean;
  /** False where no tool is ever deferred. */
  readonly toolSearch?: boolean;
  /** The host offers search elsewhere. */
  readonly embeddedSearch?: boolean;
  readonly tasksV2?: boolean;
  /** Background tasks are waited for and read by a tool, too. */
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
  /** The host gives a forge, where pull requests are. */
  readonly forge?: boolean;
  /** The host has a runtime in which other sessions run. */
  readonly remoteTrigger?: boolean;
  /** The host has a preview of the workspace's own app. */
  readonly preview?: boolean;
  /** A file that is sent to the user has a way to reach them. */
  readonly userFileBridge?: boolean;
  /** The session is an agent's that may begin no other. */
  readonly lastAgent?: boolean;
  /** A connected server offers resources. */
  readonly mcpResources?: boolean;
  /** The query has servers elsewhere, which may still be connecting. */
  readonly mcpServers?: boolean;
  /** The caller gave a schema for the final answer. */
  readonly outputSchema?: boolean;
}

/** What a tool's gate may depend on, by its name among the switches. */
export type ToolSwitch = keyof ToolSwitches;

/** In while any of `needs` is on; out while `unless` is. */
export type ToolGate = { readonly needs: readonly ToolSwitch[] } | { readonly unless: ToolSwitch };

const tasks: ToolGate = { needs: ['tasksV2'] };
const worktrees: ToolGate = { needs: ['worktrees'] };
const teams: ToolGate = { needs: ['teams'] };
const proactive: ToolGate = { needs: ['proactive'] };
const triggers: ToolGate = { needs: ['triggers'] };
const forge: ToolGate = { needs: ['forge'] };
const search: ToolGate = { unless: 'embeddedSearch' };

/** The conditional tools. What isn't here is always in. */
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

/** Out of every pool until their condition holds, whatever else is asked for. */
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

/** What `coordinator` keeps for the session's own agent: it leads, and its agents do the work. */
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

/** With `replMode` these are called by a cell's code, as `tools.Read(…)`, and not by the model. */
export const insideOnlyTools: ReadonlySet<string> = new Set([
  'Read',
  'Write',
  'Edit',
  'Glob',
  'Grep',
  'NotebookEdit',
]);

/** Never deferred while all of their switches are on; none: never. */
export const keptLoaded: ReadonlyMap<string, readonly ToolSwitch[]> = new Map([
  ['ToolSearch', []],
  ['Sleep', ['proactive']],
  ['SendUserMessage', ['proactive']],
  ['SendUserFile', ['proactive', 'userFileBridge']],
]);

/** The tool that loads deferred ones: without it in the pool nothing can be deferred. */
export const searchToolName = 'ToolSearch';
