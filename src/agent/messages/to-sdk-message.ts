// What the loop knows, as the messages that a query yields: one function a kind of message. `loop.ts`
// calls them. Pure but for the fresh ids. `system/init` and `result` are in to-result-message.ts.
import { createId } from '../../core/ids.ts';
import type { AssistantMessage, ModelEvent } from '../../core/messages.ts';
import type {
  SDKAPIRetryMessage,
  SDKAssistantMessage,
  SDKInformationalMessage,
  SDKPartialAssistantMessage,
  SDKPermissionDeniedMessage,
  SDKToolProgressMessage,
  SDKUserMessage,
} from '../../core/sdk-message.ts';
import type { ModelRetry } from '../../model/model.ts';
import type { ToolUse } from './collect.ts';
import { explainReason } from '../../trace/explain-reason.ts';
import type { Denial, Settled } from '../calls/settled.ts';

function common(sessionId: string) {
  return { uuid: createId(), session_id: sessionId };
}

/** `isAborted`: the stream was cut, and `message` holds only the blocks that were closed by then. */
export function toAssistantMessage(
  sessionId: string,
  message: AssistantMessage,
  isAborted: boolean,
): SDKAssistantMessage {
  return {
    type: 'assistant',
    message,
    parent_tool_use_id: null,
    ...(isAborted && { aborted: true as const }),
    ...common(sessionId),
  };
}

/** One event of the model's stream, for queries with `includePartialMessages`. */
export function toStreamEvent(sessionId: string, event: ModelEvent): SDKPartialAssistantMessage {
  return { type: 'stream_event', event, parent_tool_use_id: null, ...common(sessionId) };
}

/**
 * One call's result, with the tool's output as data beside it. `parentId` is the call that made it,
 * where the model didn't: such a result is never sent to the API.
 */
export function toToolResultMessage(
  sessionId: string,
  settled: Settled,
  parentId: string | null,
): SDKUserMessage {
  return {
    type: 'user',
    message: { role: 'user', content: [settled.result] },
    parent_tool_use_id: parentId,
    ...(settled.output !== undefined && { tool_use_result: settled.output }),
    ...(settled.mcpMeta && { mcp_meta: settled.mcpMeta }),
    ...(settled.decision && { decision: settled.decision }),
    ...common(sessionId),
  };
}

/**
 * `progress` is the tool's own payload: only its view can read it. `taskId` where the call runs in the
 * background.
 */
export function toProgressMessage(
  sessionId: string,
  toolUse: ToolUse,
  elapsedMs: number,
  progress: unknown,
  { parentId, taskId }: { readonly parentId: string | null; readonly taskId?: string | undefined },
): SDKToolProgressMessage {
  return {
    type: 'tool_progress',
    tool_use_id: toolUse.id,
    tool_name: toolUse.name,
    parent_tool_use_id: parentId,
    elapsed_time_seconds: elapsedMs / 1000,
    ...(taskId !== undefined && { task_id: taskId }),
    progress,
    ...common(sessionId),
  };
}

/** Says why nothing moves. Only the error's code: its sentence is for the result, if it comes to that. */
export function toRetryMessage(sessionId: string, retry: ModelRetry): SDKAPIRetryMessage {
  return {
    type: 'system',
    subtype: 'api_retry',
    attempt: retry.attempt,
    max_retries: retry.maxRetries,
    retry_delay_ms: retry.delayMs,
    error_status: retry.status,
    error: retry.error.code,
    ...common(sessionId),
  };
}

/** Comes before the call's result, so that a reader knows the refusal when it sees the error. */
export function toDeniedMessage(
  sessionId: string,
  toolUse: ToolUse,
  denial: Denial,
): SDKPermissionDeniedMessage {
  return {
    type: 'system',
    subtype: 'permission_denied',
    tool_name: toolUse.name,
    tool_use_id: toolUse.id,
    decision_reason_type: denial.reason.type,
    decision_reason: explainReason(denial.reason),
    message: denial.message,
    ...common(sessionId),
  };
}

/** A sentence for the person that no hook has said. */
export function toNoticeMessage(
  sessionId: string,
  content: string,
  level: SDKInformationalMessage['level'],
): SDKInformationalMessage {
  return { type: 'system', subtype: 'informational', content, level, ...common(sessionId) };
}
