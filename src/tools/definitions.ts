// The table of the built-in tools, each loaded at first use. workers.ts has their worker halves,
// and views.ts the views.
import { describeThrown, SdkError } from '../core/errors.ts';
import { loadOnce } from '../core/async/load-once.ts';
import type { KnownTools, ListedRow, ListedTool } from '../core/tool/listed-tool.ts';
import type { Tool } from '../core/tool/tool.ts';
import { deferredTable } from './deferred-table.ts';

export interface ToolEntry {
  readonly name: string;
  load(): Promise<Tool>;
}

/**
 * Sorted by name. Tools of every session's start are loaded by core-tools.ts, every other tool by
 * its own file.
 */
export const definitions: readonly ToolEntry[] = [
  { name: 'Agent', load: async () => (await import('./core-tools.ts')).agentTool },
  {
    name: 'AskUserQuestion',
    load: async () => (await import('./core-tools.ts')).askUserQuestionTool,
  },
  { name: 'Config', load: async () => (await import('./config/tool.ts')).configTool },
  { name: 'CronCreate', load: async () => (await import('./cron-create/tool.ts')).cronCreateTool },
  { name: 'CronDelete', load: async () => (await import('./cron-delete/tool.ts')).cronDeleteTool },
  { name: 'CronList', load: async () => (await import('./cron-list/tool.ts')).cronListTool },
  { name: 'Edit', load: async () => (await import('./core-tools.ts')).editTool },
  {
    name: 'EnterPlanMode',
    load: async () => (await import('./enter-plan-mode/tool.ts')).enterPlanModeTool,
  },
  {
    name: 'EnterWorktree',
    load: async () => (await import('./enter-worktree/tool.ts')).enterWorktreeTool,
  },
  {
    name: 'ExitPlanMode',
    load: async () => (await import('./exit-plan-mode/tool.ts')).exitPlanModeTool,
  },
  {
    name: 'ExitWorktree',
    load: async () => (await import('./exit-worktree/tool.ts')).exitWorktreeTool,
  },
  { name: 'Glob', load: async () => (await import('./core-tools.ts')).globTool },
  { name: 'Grep', load: async () => (await import('./core-tools.ts')).grepTool },
  { name: 'LSP', load: async () => (await import('./lsp/tool.ts')).lspTool },
  { name: 'ListAgents', load: async () => (await import('./list-agents/tool.ts')).listAgentsTool },
  {
    name: 'ListMcpResourcesTool',
    load: async () => (await import('./list-mcp-resources/tool.ts')).listMcpResourcesTool,
  },
  { name: 'Monitor', load: async () => (await import('./monitor/tool.ts')).monitorTool },
  {
    name: 'NotebookEdit',
    load: async () => (await import('./notebook-edit/tool.ts')).notebookEditTool,
  },
  {
    name: 'PushNotification',
    load: async () => (await import('./push-notification/tool.ts')).pushNotificationTool,
  },
  { name: 'Read', load: async () => (await import('./core-tools.ts')).readTool },
  {
    name: 'ReadMcpResourceDirTool',
    load: async () => (await import('./read-mcp-resource-dir/tool.ts')).readMcpResourceDirTool,
  },
  {
    name: 'ReadMcpResourceTool',
    load: async () => (await import('./read-mcp-resource/tool.ts')).readMcpResourceTool,
  },
  {
    name: 'RemoteTrigger',
    load: async () => (await import('./remote-trigger/tool.ts')).remoteTriggerTool,
  },
  { name: 'Repl', load: async () => (await import('./core-tools.ts')).replTool },
  {
    name: 'ReportFindings',
    load: async () => (await import('./report-findings/tool.ts')).reportFindingsTool,
  },
  {
    name: 'ScheduleWakeup',
    load: async () => (await import('./schedule-wakeup/tool.ts')).scheduleWakeupTool,
  },
  {
    name: 'SendMessage',
    load: async () => (await import('./send-message/tool.ts')).sendMessageTool,
  },
  {
    name: 'SendUserFile',
    load: async () => (await import('./send-user-file/tool.ts')).sendUserFileTool,
  },
  {
    name: 'SendUserMessage',
    load: async () => (await import('./send-user-message/tool.ts')).sendUserMessageTool,
  },
  { name: 'SetGoal', load: async () => (await import('./set-goal/tool.ts')).setGoalTool },
  { name: 'Skill', load: async () => (await import('./core-tools.ts')).skillTool },
  { name: 'Sleep', load: async () => (await import('./sleep/tool.ts')).sleepTool },
  { name: 'Snip', load: async () => (await import('./snip/tool.ts')).snipTool },
  {
    name: 'SubscribePr',
    load: async () => (await import('./subscribe-pr/tool.ts')).subscribePrTool,
  },
  { name: 'SuggestPr', load: async () => (await import('./suggest-pr/tool.ts')).suggestPrTool },
  {
    name: 'SyntheticOutput',
    load: async () => (await import('./core-tools.ts')).syntheticOutputTool,
  },
  { name: 'TaskCreate', load: async () => (await import('./task-create/tool.ts')).taskCreateTool },
  { name: 'TaskGet', load: async () => (await import('./task-get/tool.ts')).taskGetTool },
  { name: 'TaskList', load: async () => (await import('./task-list/tool.ts')).taskListTool },
  { name: 'TaskOutput', load: async () => (await import('./task-output/tool.ts')).taskOutputTool },
  { name: 'TaskStop', load: async () => (await import('./task-stop/tool.ts')).taskStopTool },
  { name: 'TaskUpdate', load: async () => (await import('./task-update/tool.ts')).taskUpdateTool },
  { name: 'TeamCreate', load: async () => (await import('./team-create/tool.ts')).teamCreateTool },
  { name: 'TeamDelete', load: async () => (await import('./team-delete/tool.ts')).teamDeleteTool },
  { name: 'TodoWrite', load: async () => (await import('./todo-write/tool.ts')).todoWriteTool },
  { name: 'ToolSearch', load: async () => (await import('./core-tools.ts')).toolSearchTool },
  {
    name: 'WaitForMcpServers',
    load: async () => (await import('./wait-for-mcp-servers/tool.ts')).waitForMcpServersTool,
  },
  {
    name: 'WebBrowser',
    load: async () => (await import('./web-browser/tool.ts')).webBrowserTool,
  },
  { name: 'WebFetch', load: async () => (await import('./web-fetch/tool.ts')).webFetchTool },
  { name: 'WebSearch', load: async () => (await import('./web-search/tool.ts')).webSearchTool },
  {
    name: 'Workflow',
    load: async () => (await import('./workflow/tool.ts')).workflowTool,
  },
  { name: 'Write', load: async () => (await import('./core-tools.ts')).writeTool },
];

/**
 * The tools by name: every definition, or with `listed` a row for each deferred tool and the
 * others' definitions.
 */
export function loadBuiltInTools(): Promise<readonly Tool[]>;
export function loadBuiltInTools(form: 'listed' | undefined): Promise<KnownTools>;
export function loadBuiltInTools(form?: 'listed'): Promise<KnownTools> {
  return Promise.all(definitions.map((entry) => (form && listed.get(entry.name)) ?? entry.load()));
}

const listed: ReadonlyMap<string, ListedTool> = new Map(
  definitions.flatMap((entry) => {
    const row = deferredTable.find(({ name }) => name === entry.name);
    return row ? [[row.name, toListedTool(row, entry)] as const] : [];
  }),
);

function toListedTool(row: ListedRow, entry: ToolEntry): ListedTool {
  return {
    ...row,
    isListed: true,
    shouldDefer: true,
    async description() {
      const { deferredDescriptions } = await import('./deferred-descriptions.ts').catch(
        (error: unknown) => refuse('the search for tools', error),
      );
      return deferredDescriptions[row.name] as string;
    },
    load: loadOnce(() => entry.load().catch((error: unknown) => refuse(row.name, error))),
  };
}

// The network may have failed since the page was opened.
function refuse(what: string, error: unknown): never {
  throw new SdkError(
    'unsupported-environment',
    `The code of ${what} couldn't be loaded (${describeThrown(error)}). Check the network, and that the page's own files are all there, then try again.`,
    { cause: error },
  );
}
