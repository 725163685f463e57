// Creates a query's messages about hooks and their runs. Pure.
import { toSentResult } from '../../core/messages/blocks.ts';
import { describeThrown } from '../../core/errors.ts';
import type {
  SDKHookResponseMessage,
  SDKHookStartedMessage,
  SDKInformationalMessage,
} from '../../core/messages/sdk-message.ts';
import { listIssues } from '../calls/describe-failure.ts';
import type { UsedCall } from './hooks.ts';
import type { HookOutcome } from './run-hooks.ts';

/** The ids of every message. */
export interface MessageIds {
  readonly uuid: string;
  readonly session_id: string;
}

/** One run of one hook, for queries with `includeHookEvents`. */
export interface HookRunName {
  readonly hook_id: string;
  /** `PreToolUse:Edit`; the event alone if it has no matchers. */
  readonly hook_name: string;
  readonly hook_event: string;
}

export function toStartedMessage(ids: MessageIds, name: HookRunName): SDKHookStartedMessage {
  return {
    type: 'system',
    subtype: 'hook_started',
    ...name,
    ...ids,
  };
}

/**
 * `output` is the hook's output as JSON, `stderr` the reason of its failure. There is no process
 * behind it.
 */
export function toResponseMessage(
  ids: MessageIds,
  name: HookRunName,
  outcome: HookOutcome,
): SDKHookResponseMessage {
  const isAnswer = outcome.type === 'answered';
  const isFailure = outcome.type === 'failed' || outcome.type === 'misread';
  return {
    type: 'system',
    subtype: 'hook_response',
    ...name,
    output: isAnswer && !outcome.answer.isSuppressed ? toJson(outcome.output) : '',
    stdout: '',
    stderr: isFailure ? outcome.message : '',
    outcome: isAnswer ? 'success' : isFailure ? 'error' : 'cancelled',
    ...ids,
  };
}

/** Creates a message with a sentence for the person. */
export function toInformationalMessage(
  ids: MessageIds,
  content: string,
  details: Pick<SDKInformationalMessage, 'level' | 'tool_use_id' | 'prevent_continuation'>,
): SDKInformationalMessage {
  return {
    type: 'system',
    subtype: 'informational',
    content,
    ...details,
    ...ids,
  };
}

function toJson(output: unknown): string {
  try {
    return JSON.stringify(output) ?? '';
  } catch (error) {
    return `(no JSON: ${describeThrown(error)})`;
  }
}

/**
 * The replaced output and its block. Security: if the new output doesn't fit the tool, the old one
 * isn't shown either, because the hook may have meant to hide it.
 */
export function replaceOutput(
  { tool, toolUse }: UsedCall['call'],
  given: unknown,
): Pick<UsedCall, 'output' | 'block'> {
  try {
    const output = tool.isMcp ? toServerOutput(given) : given;
    // As in validate.ts: zod's compiled parsers use `eval`, which a strict content security policy
    // refuses.
    const parsed = tool.outputSchema?.safeParse(output, { jitless: true });
    if (parsed && !parsed.success) {
      return refuseOutput(
        `${tool.name} has run, but a hook replaced its output by one that can't be shown. It isn't what the tool's outputSchema says:\n${listIssues(parsed.error.issues, 'output')}\nThis is a mistake of the hook's author, not of the call.`,
        toolUse.id,
      );
    }
    const checked = parsed ? parsed.data : output;
    const block = tool.mapToolResultToToolResultBlockParam(checked, toolUse.id);
    return { output: checked, block: toSentResult(block, toolUse.id) };
  } catch (error) {
    return refuseOutput(
      `${tool.name} has run, but a hook replaced its output by one that can't be shown (${describeThrown(error)}). This is a mistake of the hook's author, not of the call.`,
      toolUse.id,
    );
  }
}

function refuseOutput(content: string, tool_use_id: string): Pick<UsedCall, 'output' | 'block'> {
  return {
    output: undefined,
    block: { type: 'tool_result', tool_use_id, content, is_error: true },
  };
}

/** For a server's tool, the Claude Agent SDK's hooks may give only the text, or its blocks. */
function toServerOutput(given: unknown): unknown {
  if (typeof given === 'string') return { content: [{ type: 'text', text: given }] };
  return Array.isArray(given) ? { content: given } : given;
}
