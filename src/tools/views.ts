// The table of views: how React shows each built-in tool, loaded when the first call of it is shown.
import type { ToolViews } from '../react/kit/define-view.tsx';

/** Each built-in tool's view, loaded with the first call of it that is shown. Spread it beside your own. */
export const toolViews: ToolViews = {
  Agent: () => import('./agent/view.tsx'),
  AskUserQuestion: () => import('./ask-user-question/view.tsx'),
  Edit: () => import('./edit/view.tsx'),
  EnterPlanMode: () => import('./enter-plan-mode/view.tsx'),
  ExitPlanMode: () => import('./exit-plan-mode/view.tsx'),
  Glob: () => import('./glob/view.tsx'),
  Grep: () => import('./grep/view.tsx'),
  ListMcpResourcesTool: () => import('./list-mcp-resources/view.tsx'),
  NotebookEdit: () => import('./notebook-edit/view.tsx'),
  Read: () => import('./read/view.tsx'),
  ReadMcpResourceDirTool: () => import('./read-mcp-resource-dir/view.tsx'),
  ReadMcpResourceTool: () => import('./read-mcp-resource/view.tsx'),
  Repl: () => import('./repl/view.tsx'),
  SendMessage: () => import('./send-message/view.tsx'),
  Skill: () => import('./skill/view.tsx'),
  TaskCreate: () => import('./task-create/view.tsx'),
  TaskGet: () => import('./task-get/view.tsx'),
  TaskList: () => import('./task-list/view.tsx'),
  TaskOutput: () => import('./task-output/view.tsx'),
  TaskStop: () => import('./task-stop/view.tsx'),
  TaskUpdate: () => import('./task-update/view.tsx'),
  TeamCreate: () => import('./team-create/view.tsx'),
  TeamDelete: () => import('./team-delete/view.tsx'),
  TodoWrite: () => import('./todo-write/view.tsx'),
  ToolSearch: () => import('./tool-search/view.tsx'),
  WaitForMcpServers: () => import('./wait-for-mcp-servers/view.tsx'),
  Write: () => import('./write/view.tsx'),
};
