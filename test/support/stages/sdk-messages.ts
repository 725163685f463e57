// Builders of the messages that a session yields, for the tests of what shows them.
import type { ContentBlock } from '../../../src/core/messages/blocks.ts';
import type { ModelEvent } from '../../../src/core/messages/messages.ts';
import type { PermissionMode } from '../../../src/core/permissions/permission.ts';
import type {
  SDKAssistantMessage,
  SDKMessage,
  SDKResultMessage,
  SDKTaskNotificationMessage,
  SDKUserMessage,
} from '../../../src/core/messages/sdk-message.ts';

let count = 0;
const common = () => ({ uuid: `message-${(count += 1)}`, session_id: 'session-1' });
const usage = { input_tokens: 1, output_tokens: 1 };

export function prompt(text: string, uuid?: string): SDKUserMessage {
  return {
    type: 'user',
    ...common(),
    ...(uuid !== undefined && { uuid }),
    message: { role: 'user', content: text },
    parent_tool_use_id: null,
  };
}

function event(modelEvent: ModelEvent): SDKMessage {
  return { type: 'stream_event', ...common(), event: modelEvent, parent_tool_use_id: null };
}

export function startMessage(id = 'msg_1'): SDKMessage {
  return event({ type: 'message_start', message: apiMessage(id, []) });
}

function startBlock(index: number, block: ContentBlock): SDKMessage {
  return event({ type: 'content_block_start', index, content_block: block });
}

export function startCall(index: number, id: string, name: string): SDKMessage {
  return startBlock(index, { type: 'tool_use', id, name, input: {} });
}

export function startText(index: number): SDKMessage {
  return startBlock(index, { type: 'text', text: '' });
}

export function textDelta(index: number, text: string): SDKMessage {
  return event({ type: 'content_block_delta', index, delta: { type: 'text_delta', text } });
}

export function jsonDelta(index: number, json: string): SDKMessage {
  const delta = { type: 'input_json_delta', partial_json: json };
  return event({ type: 'content_block_delta', index, delta });
}

export function stopBlock(index: number): SDKMessage {
  return event({ type: 'content_block_stop', index });
}

function apiMessage(id: string, content: readonly ContentBlock[]): SDKAssistantMessage['message'] {
  return {
    id,
    type: 'message',
    role: 'assistant',
    model: 'test',
    content,
    stop_reason: 'tool_use',
    stop_sequence: null,
    usage,
  };
}

export function assistant(content: readonly ContentBlock[], aborted?: true): SDKMessage {
  return {
    type: 'assistant',
    ...common(),
    message: apiMessage('msg_1', content),
    parent_tool_use_id: null,
    ...(aborted && { aborted }),
  };
}

export function toolUse(id: string, name: string, input: unknown): ContentBlock {
  return { type: 'tool_use', id, name, input };
}

export function toolResult(
  id: string,
  content: string,
  more: { readonly isError?: boolean; readonly output?: unknown } = {},
): SDKMessage {
  return {
    type: 'user',
    ...common(),
    message: {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: id, content, ...(more.isError && { is_error: true }) },
      ],
    },
    parent_tool_use_id: null,
    tool_use_result: more.output,
  };
}

export function progress(id: string, payload: unknown, seconds = 1): SDKMessage {
  return {
    type: 'tool_progress',
    ...common(),
    tool_use_id: id,
    tool_name: 'Repl',
    parent_tool_use_id: null,
    elapsed_time_seconds: seconds,
    progress: payload,
  };
}

/** The call waits for other calls, or continues after that. */
export function phase(id: string, is: 'queued' | 'running'): SDKMessage {
  return {
    type: 'tool_progress',
    ...common(),
    tool_use_id: id,
    tool_name: 'Edit',
    parent_tool_use_id: null,
    elapsed_time_seconds: 0,
    phase: is,
  };
}

export function denied(id: string, message: string): SDKMessage {
  return {
    type: 'system',
    subtype: 'permission_denied',
    ...common(),
    tool_name: 'Edit',
    tool_use_id: id,
    message,
  };
}

export function retry(attempt: number): SDKMessage {
  return {
    type: 'system',
    subtype: 'api_retry',
    ...common(),
    attempt,
    max_retries: 3,
    retry_delay_ms: 1000,
    error_status: null,
    error: 'model-network',
  };
}

export function modeSet(permissionMode: PermissionMode): SDKMessage {
  return { type: 'system', subtype: 'status', ...common(), status: null, permissionMode };
}

/** What a hook has to say to the person. */
export function informational(content: string, level: 'info' | 'warning'): SDKMessage {
  return { type: 'system', subtype: 'informational', ...common(), content, level };
}

export function roleChanged(role: 'runner' | 'viewer'): SDKMessage {
  return { type: 'system', subtype: 'session_role_changed', ...common(), role };
}

export function connectionChanged(connection: 'open' | 'waiting'): SDKMessage {
  return { type: 'system', subtype: 'session_connection_changed', ...common(), connection };
}

const figures = {
  duration_ms: 10,
  duration_api_ms: 5,
  num_turns: 1,
  stop_reason: 'end_turn',
  total_cost_usd: 0,
  usage,
  modelUsage: {},
  permission_denials: [],
};

export function success(result = 'Done.'): SDKResultMessage {
  return { type: 'result', subtype: 'success', ...common(), ...figures, is_error: false, result };
}

export function failure(...errors: string[]): SDKResultMessage {
  return {
    type: 'result',
    subtype: 'error_during_execution',
    ...common(),
    ...figures,
    is_error: true,
    errors,
  };
}

export function taskStarted(toolUseId: string, taskId = 'b1'): SDKMessage {
  return {
    type: 'system',
    subtype: 'task_started',
    ...common(),
    task_id: taskId,
    tool_use_id: toolUseId,
    description: 'Counts',
    task_type: 'repl',
  };
}

export function taskEnded(
  toolUseId: string,
  status: SDKTaskNotificationMessage['status'],
  taskId = 'b1',
): SDKMessage {
  return {
    type: 'system',
    subtype: 'task_notification',
    ...common(),
    task_id: taskId,
    tool_use_id: toolUseId,
    status,
    output_file: `/session/1/tasks/${taskId}.output`,
    summary: `It ${status}.`,
    decision: {
      toolName: 'Repl',
      behavior: 'allow',
      reason: { type: 'at-commit' },
      principal: { kind: 'agent' },
      changes: { behavior: status === 'completed' ? 'allow' : 'deny', reason: { type: 'user' } },
    },
  };
}

/** A turn that the agent begins by itself. */
export function taskPrompt(): SDKUserMessage {
  return {
    ...prompt('<task-notification>'),
    isSynthetic: true,
    origin: { kind: 'task-notification' },
  };
}
