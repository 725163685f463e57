// The gallery's table: an example of every built-in tool, by its name. A test compares it with the table of tools.
import {
  agentExample,
  listAgentsExample,
  sendMessageExample,
  skillExample,
  teamCreateExample,
  teamDeleteExample,
} from './examples/agents.ts';
import { remoteTriggerExample } from './examples/remote.ts';
import { replExample } from './examples/cells.ts';
import {
  editExample,
  globExample,
  grepExample,
  lspExample,
  notebookEditExample,
  readExample,
  writeExample,
} from './examples/files.ts';
import {
  listMcpResourcesExample,
  readMcpResourceDirExample,
  readMcpResourceExample,
} from './examples/resources.ts';
import {
  askUserQuestionExample,
  configExample,
  enterPlanModeExample,
  exitPlanModeExample,
  reportFindingsExample,
  pushNotificationExample,
  sendUserFileExample,
  sendUserMessageExample,
  setGoalExample,
  sleepExample,
  snipExample,
  syntheticOutputExample,
  toolSearchExample,
  waitForMcpServersExample,
} from './examples/session.ts';
import {
  cronCreateExample,
  cronDeleteExample,
  cronListExample,
  scheduleWakeupExample,
} from './examples/schedule.ts';
import { webBrowserExample } from './examples/preview.ts';
import { subscribePrExample, suggestPrExample } from './examples/pull-requests.ts';
import {
  monitorExample,
  taskCreateExample,
  taskGetExample,
  taskListExample,
  taskOutputExample,
  taskStopExample,
  taskUpdateExample,
  todoWriteExample,
} from './examples/tasks.ts';
import { webFetchExample, webSearchExample } from './examples/web.ts';
import { workflowExample } from './examples/workflow.ts';
import { enterWorktreeExample, exitWorktreeExample } from './examples/worktrees.ts';
import type { ToolExample } from './tool-example.ts';

export const toolExamples: Readonly<Record<string, ToolExample>> = {
  Agent: agentExample,
  AskUserQuestion: askUserQuestionExample,
  Config: configExample,
  CronCreate: cronCreateExample,
  CronDelete: cronDeleteExample,
  CronList: cronListExample,
  Edit: editExample,
  EnterPlanMode: enterPlanModeExample,
  EnterWorktree: enterWorktreeExample,
  ExitPlanMode: exitPlanModeExample,
  ExitWorktree: exitWorktreeExample,
  Glob: globExample,
  Grep: grepExample,
  LSP: lspExample,
  ListAgents: listAgentsExample,
  ListMcpResourcesTool: listMcpResourcesExample,
  Monitor: monitorExample,
  NotebookEdit: notebookEditExample,
  PushNotification: pushNotificationExample,
  Read: readExample,
  ReadMcpResourceDirTool: readMcpResourceDirExample,
  ReadMcpResourceTool: readMcpResourceExample,
  RemoteTrigger: remoteTriggerExample,
  Repl: replExample,
  ReportFindings: reportFindingsExample,
  ScheduleWakeup: scheduleWakeupExample,
  SendMessage: sendMessageExample,
  SendUserFile: sendUserFileExample,
  SendUserMessage: sendUserMessageExample,
  SetGoal: setGoalExample,
  Skill: skillExample,
  Sleep: sleepExample,
  Snip: snipExample,
  SubscribePr: subscribePrExample,
  SuggestPr: suggestPrExample,
  SyntheticOutput: syntheticOutputExample,
  TaskCreate: taskCreateExample,
  TaskGet: taskGetExample,
  TaskList: taskListExample,
  TaskOutput: taskOutputExample,
  TaskStop: taskStopExample,
  TaskUpdate: taskUpdateExample,
  TeamCreate: teamCreateExample,
  TeamDelete: teamDeleteExample,
  TodoWrite: todoWriteExample,
  ToolSearch: toolSearchExample,
  WaitForMcpServers: waitForMcpServersExample,
  WebBrowser: webBrowserExample,
  WebFetch: webFetchExample,
  WebSearch: webSearchExample,
  Workflow: workflowExample,
  Write: writeExample,
};
