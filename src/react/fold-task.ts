// Folds what is told of background tasks: sub-agents, workflows and calls that were left running.
import { isToolUseBlock } from '../core/messages/blocks.ts';
import type { AssistantMessage } from '../core/messages/messages.ts';
import type {
  SDKAssistantMessage,
  SDKTaskNotificationMessage,
  SDKTaskProgressMessage,
  SDKTaskStartedMessage,
  SDKTaskUpdatedMessage,
} from '../core/messages/sdk-message.ts';
import { addNotice, closeCall, endStreams } from './fold-state.ts';
import type { FoldState, TaskDraft } from './fold-state.ts';
import type { CallDraft } from './transcript-draft.ts';
import type { TaskAgent } from './transcript.ts';

type TaskMessage =
  | SDKTaskStartedMessage
  | SDKTaskProgressMessage
  | SDKTaskUpdatedMessage
  | SDKTaskNotificationMessage;

export function foldTask(state: FoldState, message: TaskMessage): void {
  switch (message.subtype) {
    case 'task_started':
      return setTask(state, toTask(message));
    case 'task_progress':
      return foldTaskProgress(state, message);
    case 'task_updated':
      return foldTaskUpdate(state, message);
    case 'task_notification':
      return foldTaskEnd(state, message);
  }
}

function toTask(message: SDKTaskStartedMessage): TaskDraft {
  const {
    task_id: taskId,
    tool_use_id: toolUseId,
    description,
    subagent_type: type,
    is_backgrounded: isBackground = false,
    can_be_backgrounded: canBeBackgrounded = false,
    parent_task_id,
  } = message;
  return {
    taskId,
    toolUseId,
    description,
    status: 'running',
    summary: '',
    ...(type !== undefined && {
      agent: { type, isBackground, canBeBackgrounded, totalTokens: 0, toolUses: 0 },
    }),
    ...(parent_task_id !== undefined && { parentTaskId: parent_task_id }),
  };
}

function foldTaskProgress(state: FoldState, message: SDKTaskProgressMessage): void {
  const { task_id: taskId, usage } = message;
  const task = state.tasks.get(taskId);
  if (task?.agent) setTask(state, { ...task, agent: countUp(task.agent, usage) });
}

/** Notes that an agent at rest goes on. A notification tells how an agent ends. */
function foldTaskUpdate(state: FoldState, { task_id, patch }: SDKTaskUpdatedMessage): void {
  const task = state.tasks.get(task_id);
  if (!task || patch.status !== 'running') return;
  const left = { isBackground: true, canBeBackgrounded: false };
  const agent = task.agent && { agent: { ...task.agent, ...left } };
  setTask(state, { ...task, status: 'running', summary: '', ...agent });
}

/** Tells the end of a task where a person reads now, and at the call that started it. */
function foldTaskEnd(state: FoldState, message: SDKTaskNotificationMessage): void {
  const { task_id: taskId, tool_use_id: toolUseId, status, summary, decision } = message;
  const task = state.tasks.get(taskId);
  const verdict = decision && { decision };
  const agent = task?.agent && countUp(task.agent, message.usage);
  if (task) setTask(state, { ...task, status, summary, ...verdict, ...(agent && { agent }) });
  // The other agents of a workflow go on.
  if (findTaskOf(state, toolUseId)?.taskId === taskId) closeInside(state, toolUseId);
  // The call that waited for this agent has its report.
  if (agent?.isBackground === false) return;
  const text = agent && task ? describeAgentEnd(task.description, status) : summary;
  addNotice(state, status === 'failed' ? 'warning' : 'information', text);
}

function describeAgentEnd(
  description: string,
  status: SDKTaskNotificationMessage['status'],
): string {
  const end = { completed: 'has reported', failed: 'has failed', stopped: 'was stopped' }[status];
  return `The agent “${description}” ${end}.`;
}

/**
 * Counts the replies of a sub-agent until a message tells the sum. Messages that are read again
 * have no progress.
 */
export function countReply(
  state: FoldState,
  { agent_id: agentId = '', parent_tool_use_id: parent }: Omit<SDKAssistantMessage, 'message'>,
  { content, usage }: AssistantMessage,
): void {
  const task = state.tasks.get(agentId);
  // Another parent is a cell of the agent's, and that call was counted.
  if (!task?.agent || task.status !== 'running' || task.toolUseId !== parent) return;
  const { toolUses, totalTokens } = task.agent;
  const tokens =
    usage.input_tokens +
    usage.output_tokens +
    (usage.cache_creation_input_tokens ?? 0) +
    (usage.cache_read_input_tokens ?? 0);
  const agent = {
    ...task.agent,
    toolUses: toolUses + content.filter(isToolUseBlock).length,
    totalTokens: totalTokens + tokens,
  };
  setTask(state, { ...task, agent });
}

function countUp(agent: TaskAgent, usage: SDKTaskNotificationMessage['usage']): TaskAgent {
  if (!usage) return agent;
  return { ...agent, totalTokens: usage.total_tokens, toolUses: usage.tool_uses };
}

/** Ends everything inside of a task that has ended. */
function closeInside(state: FoldState, toolUseId: string): void {
  const open = state.open.get(toolUseId);
  if (open) endStreams(state, open);
  state.open.delete(toolUseId);
  const call = state.draft.call(toolUseId);
  if (!call) return;
  for (const inner of state.draft.calls(call)) {
    if (inner.parentToolUseId === toolUseId) closeCall(state, inner);
  }
}

/** Ends the tasks that still run, of which no message will tell any more. */
export function closeTasks(state: FoldState): void {
  for (const task of state.tasks.values()) {
    if (task.status !== 'running') continue;
    setTask(state, { ...task, status: 'stopped' });
    closeInside(state, task.toolUseId);
  }
}

/** True if the call is a running task, or inside of one at any depth. */
export function isInTask(state: FoldState, toolUseId: string | null): boolean {
  for (let id = toolUseId; id !== null;) {
    if (findTaskOf(state, id)?.status === 'running') return true;
    id = state.draft.call(id)?.parentToolUseId ?? null;
  }
  return false;
}

/** A call's own task is its first: a workflow's run comes before the agents that it starts. */
function findTaskOf({ tasks }: FoldState, toolUseId: string): TaskDraft | undefined {
  for (const task of tasks.values()) if (task.toolUseId === toolUseId) return task;
  return undefined;
}

function setTask(state: FoldState, task: TaskDraft): void {
  state.tasks.set(task.taskId, task);
  const call = state.draft.call(task.toolUseId);
  if (!call) return;
  setTasksOf(state, call);
  state.draft.touch(call);
}

export function setTasksOf({ tasks }: FoldState, call: CallDraft): void {
  const [own, ...agents] = [...tasks.values()].filter(({ toolUseId }) => toolUseId === call.id);
  call.task = own ?? null;
  if (agents.length > 0) call.agentCount = agents.length;
}
