// A background task as the messages that a query yields.
import type { TaskSummary } from '../../core/tool/background.ts';
import { createId } from '../../core/ids.ts';
import type {
  SDKTaskNotificationMessage,
  SDKTaskStartedMessage,
  SDKUserMessage,
} from '../../core/sdk-message.ts';
import type { ToolUse } from '../messages/collect.ts';
import { summarizeEnd, toStatus } from './task-end.ts';
import type { EndedTask } from './task-end.ts';

/** Comes before the call's result, which tells the model the same. */
export function toTaskStartedMessage(
  sessionId: string,
  { taskId, taskType, description }: TaskSummary,
  toolUse: ToolUse,
): SDKTaskStartedMessage {
  return {
    type: 'system',
    subtype: 'task_started',
    task_id: taskId,
    tool_use_id: toolUse.id,
    description,
    task_type: taskType,
    uuid: createId(),
    session_id: sessionId,
  };
}

/** What became of a task, for viewers. The model's own notification is another. */
export function toTaskNotificationMessage(
  sessionId: string,
  end: EndedTask,
): SDKTaskNotificationMessage {
  const { decision } = end.settled;
  return {
    type: 'system',
    subtype: 'task_notification',
    task_id: end.taskId,
    tool_use_id: end.toolUseId,
    status: toStatus(end),
    output_file: end.outputPath,
    summary: summarizeEnd(end),
    ...(decision && { decision }),
    uuid: createId(),
    session_id: sessionId,
  };
}

/** The prompt of a turn that nobody asked for: tasks have ended while the agent was at rest. */
export function toTaskPromptMessage(
  sessionId: string,
  message: SDKUserMessage['message'],
): SDKUserMessage {
  return {
    type: 'user',
    message,
    parent_tool_use_id: null,
    isSynthetic: true,
    origin: { kind: 'task-notification' },
    uuid: createId(),
    session_id: sessionId,
  };
}
