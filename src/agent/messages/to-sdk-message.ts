// Creates the messages of a query that aren't recorded, with one function per kind. Pure, except
// for new ids. Recorded messages are derived from the journal's entries: see
// agent/journal/kept-messages.ts.
import type { SdkError } from '../../core/errors.ts';
import { isRecord } from '../../core/values/is-record.ts';
import type { AssistantMessage, ModelEvent } from '../../core/messages/messages.ts';
import type {
  SDKAPIRetryMessage,
  SDKCommandsChangedMessage,
  SDKConversationResetMessage,
  SDKBackgroundTasksChangedMessage,
  SDKInformationalMessage,
  SDKPromptSuggestionMessage,
  SDKMirrorErrorMessage,
  SDKModelRefusalFallbackMessage,
  SDKPartialAssistantMessage,
  SDKSessionMovedMessage,
  SDKSessionConnectionChangedMessage,
  SDKSessionRoleChangedMessage,
  SDKSessionStateChangedMessage,
  SDKStatusMessage,
  SDKTaskProgressMessage,
  SDKToolProgressMessage,
} from '../../core/messages/sdk-message.ts';
import type { SlashCommand } from '../../core/commands/slash-command.ts';
import type { ModelRetry } from '../../model/model.ts';
import type { ToolUse } from './collect.ts';
import type { SessionIds } from '../session/session-ids.ts';

/** The session that sends the message. */
export interface Teller {
  readonly id: string;
  readonly ids: Pick<SessionIds, 'next'>;
}

function common({ id, ids }: Teller) {
  return { uuid: ids.next(), session_id: id };
}

/** One event of the model's stream, for queries with `includePartialMessages`. */
export function toStreamEvent(teller: Teller, event: ModelEvent): SDKPartialAssistantMessage {
  return { type: 'stream_event', event, parent_tool_use_id: null, ...common(teller) };
}

/**
 * `progress` is the tool's own value, for its view. `taskId`: set if the call runs in the
 * background.
 */
export function toProgressMessage(
  teller: Teller,
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
    ...common(teller),
  };
}

/** `queued`: the call waits for others; `running`: it has started after that. */
export function toPhaseMessage(
  teller: Teller,
  toolUse: ToolUse,
  phase: 'queued' | 'running',
): SDKToolProgressMessage {
  return {
    type: 'tool_progress',
    tool_use_id: toolUse.id,
    tool_name: toolUse.name,
    parent_tool_use_id: null,
    elapsed_time_seconds: 0,
    phase,
    ...common(teller),
  };
}

/**
 * Reports the reason for a delay. It has only the error's code; the sentence is for the result, if
 * the request fails.
 */
export function toRetryMessage(teller: Teller, retry: ModelRetry): SDKAPIRetryMessage {
  return {
    type: 'system',
    subtype: 'api_retry',
    attempt: retry.attempt,
    max_retries: retry.maxRetries,
    retry_delay_ms: retry.delayMs,
    error_status: retry.status,
    error: retry.error.code,
    ...common(teller),
  };
}

/** A compaction begins, or has ended. */
export function toStatusMessage(
  teller: Teller,
  status: Pick<SDKStatusMessage, 'status' | 'compact_result' | 'compact_error'>,
): SDKStatusMessage {
  return { type: 'system', subtype: 'status', ...status, ...common(teller) };
}

/** `uuids`: the messages with the content of the refused message. */
export function toRefusalFallbackMessage(
  teller: Teller,
  refused: AssistantMessage,
  models: { readonly original: string; readonly fallback: string },
  uuids: readonly string[],
): SDKModelRefusalFallbackMessage {
  const details = isRecord(refused['stop_details']) ? refused['stop_details'] : {};
  const { category, explanation } = details;
  return {
    type: 'system',
    subtype: 'model_refusal_fallback',
    trigger: 'refusal',
    direction: 'retry',
    original_model: models.original,
    fallback_model: models.fallback,
    request_id: refused.id,
    ...(typeof category === 'string' && { api_refusal_category: category }),
    ...(typeof explanation === 'string' && { api_refusal_explanation: explanation }),
    retracted_message_uuids: uuids,
    content: `${models.original} refused to go on. What it said is taken back, and ${models.fallback} is asked for the rest of this turn.`,
    ...common(teller),
  };
}

/** The session's state has changed, such as the questions that it waits for. */
export function toStateMessage(
  teller: Teller,
  state: SDKSessionStateChangedMessage['state'],
): SDKSessionStateChangedMessage {
  return { type: 'system', subtype: 'session_state_changed', state, ...common(teller) };
}

export function toCommandsMessage(
  teller: Teller,
  commands: readonly SlashCommand[],
): SDKCommandsChangedMessage {
  return { type: 'system', subtype: 'commands_changed', commands, ...common(teller) };
}

/** Reports in which tab the session runs. */
export function toRoleMessage(
  teller: Teller,
  role: SDKSessionRoleChangedMessage['role'],
): SDKSessionRoleChangedMessage {
  return { type: 'system', subtype: 'session_role_changed', role, ...common(teller) };
}

/** Reports whether the client of a session elsewhere reaches its server. */
export function toConnectionMessage(
  teller: Teller,
  connection: SDKSessionConnectionChangedMessage['connection'],
): SDKSessionConnectionChangedMessage {
  return { type: 'system', subtype: 'session_connection_changed', connection, ...common(teller) };
}

/** Reports that the session continues in another place. `error`: from whereabouts.ts. */
export function toMovedMessage(
  teller: Teller,
  { message, data: { movedAway, isUnsure } }: SdkError,
): SDKSessionMovedMessage {
  return {
    type: 'system',
    subtype: 'session_moved',
    url: typeof movedAway === 'string' ? movedAway : null,
    is_unsure: isUnsure === true,
    content: message,
    ...common(teller),
  };
}

/** Earlier messages of the session don't apply any more; all of them are sent again. */
export function toReplacedMessage(teller: Teller): SDKConversationResetMessage {
  const { id: new_conversation_id } = teller;
  return {
    type: 'conversation_reset',
    new_conversation_id,
    trigger: 'replaced',
    ...common(teller),
  };
}

/** A sentence for the person that isn't a hook's. */
export function toNoticeMessage(
  teller: Teller,
  content: string,
  level: SDKInformationalMessage['level'],
): SDKInformationalMessage {
  return { type: 'system', subtype: 'informational', content, level, ...common(teller) };
}

/** The last notice of a session that another tab deletes. */
export const deletedElsewhere = 'The session was deleted in another tab.';

export function toPromptSuggestion(teller: Teller, suggestion: string): SDKPromptSuggestionMessage {
  return { type: 'prompt_suggestion', suggestion, ...common(teller) };
}

/** The usage of a sub-agent so far. */
export function toTaskProgress(
  teller: Teller,
  progress: Omit<SDKTaskProgressMessage, 'type' | 'subtype' | 'uuid' | 'session_id' | 'n'>,
): SDKTaskProgressMessage {
  return { type: 'system', subtype: 'task_progress', ...progress, ...common(teller) };
}

/** The list of background tasks has changed. */
export function toTasksChanged(
  teller: Teller,
  tasks: SDKBackgroundTasksChangedMessage['tasks'],
): SDKBackgroundTasksChangedMessage {
  return { type: 'system', subtype: 'background_tasks_changed', tasks, ...common(teller) };
}

export function toMirrorError(
  teller: Teller,
  error: string,
  key: SDKMirrorErrorMessage['key'],
): SDKMirrorErrorMessage {
  return { type: 'system', subtype: 'mirror_error', error, key, ...common(teller) };
}
