// Decides what follows a step: the turn's end, another request, or a recovery. Pure. `loop.ts`
// calls it after each step and acts on the decision.
import { isToolUseBlock } from '../../core/messages/blocks.ts';
import type { ErrorCode } from '../../core/errors.ts';
import { SdkError, toSerializedError } from '../../core/errors.ts';
import type { AssistantMessage } from '../../core/messages/messages.ts';
import { settleWithError } from '../calls/settled.ts';
import type { Settled } from '../calls/settled.ts';
import type { TurnEnd } from '../hooks/hooks.ts';

/** One request and its calls. */
export type Step =
  | {
      readonly type: 'answered';
      readonly message: AssistantMessage;
      readonly calls: number;
      /** The tool of a call that the output limit has cut. The call was never started. */
      readonly cutCall?: string | undefined;
    }
  /**
   * The model refused, and another model can be asked. The reply was removed from the conversation.
   */
  | {
      readonly type: 'retracted';
      readonly message: AssistantMessage;
      readonly uuids: readonly string[];
    }
  /** The message is incomplete: it was stopped, refused by the server, or interrupted. */
  | { readonly type: 'cut'; readonly error: unknown };

/** The other facts that the decision depends on. */
export interface StepContext {
  /** The number of requests, including this one. */
  readonly steps: number;
  readonly maxTurns?: number | undefined;
  readonly isStopped: boolean;
  /** The number of replies in a row that the output limit has cut, including this one. */
  readonly cutReplies: number;
  readonly hasCompacted: boolean;
  readonly hasFallback: boolean;
}

export type Next =
  | { readonly type: 'end'; readonly end: TurnEnd }
  /** `reminder`: a message for the model, added at the end of the conversation. */
  | { readonly type: 'request'; readonly reminder?: string }
  /** The conversation must become shorter. `otherwise`: the end if it can't. */
  | { readonly type: 'compact'; readonly otherwise: TurnEnd }
  /** `uuids`: the messages that the refusal retracts. */
  | { readonly type: 'fall-back'; readonly because: 'overload' }
  | {
      readonly type: 'fall-back';
      readonly because: 'refusal';
      readonly refused: AssistantMessage;
      readonly uuids: readonly string[];
    };

/** 2: a text of three times the output limit. A host that needs more raises `maxTokens`. */
const maxContinuations = 2;

export function decideNext(step: Step, context: StepContext): Next {
  const { isStopped, hasCompacted, hasFallback } = context;
  if (step.type === 'cut') {
    if (isStopped) return end({ type: 'stopped', during: 'streaming' });
    const error = toSerializedError(step.error);
    const failed: TurnEnd = { type: 'failed', error };
    if (error.code === 'model-overloaded' && hasFallback) {
      return { type: 'fall-back', because: 'overload' };
    }
    const mayCompact = error.code === 'model-context-window' && !hasCompacted;
    return mayCompact ? { type: 'compact', otherwise: failed } : end(failed);
  }
  const { message } = step;
  if (step.type === 'retracted') {
    if (isStopped) return end({ type: 'stopped', during: 'streaming' });
    return { type: 'fall-back', because: 'refusal', refused: message, uuids: step.uuids };
  }
  const { calls, cutCall } = step;
  switch (message.stop_reason) {
    case 'refusal':
      return end({ type: 'completed', message });
    case 'model_context_window_exceeded': {
      if (isStopped) return end({ type: 'stopped', during: 'tools' });
      const failed = fail(
        'model-context-window',
        "The conversation has filled the model's context window, and the last reply was cut off there. Begin a new conversation, or use a model with a larger window.",
        message,
      );
      return hasCompacted ? end(failed) : { type: 'compact', otherwise: failed };
    }
    case 'max_tokens': {
      if (isStopped) return end({ type: 'stopped', during: 'tools' });
      if (context.cutReplies > maxContinuations) {
        return end(
          fail(
            'model-max-tokens',
            `The model reached ${describeLimit(message)} in ${context.cutReplies} replies one after the other, and the last one is not finished. Raise the model's maxTokens, or ask for less at once.`,
            message,
          ),
        );
      }
      const reminder = describeCutReply(message, calls, cutCall);
      return goOn(context, reminder);
    }
    // The server has interrupted its own work. It continues when the same conversation is sent
    // again.
    case 'pause_turn':
      return isStopped ? end({ type: 'stopped', during: 'tools' }) : goOn(context);
    default:
      if (calls === 0) return end({ type: 'completed', message });
      return isStopped ? end({ type: 'stopped', during: 'tools' }) : goOn(context);
  }
}

function end(turnEnd: TurnEnd): Next {
  return { type: 'end', end: turnEnd };
}

function goOn({ steps, maxTurns }: StepContext, reminder?: string): Next {
  if (maxTurns !== undefined && steps >= maxTurns) return end({ type: 'max-turns', maxTurns });
  return { type: 'request', ...(reminder !== undefined && { reminder }) };
}

function fail(code: ErrorCode, sentence: string, { stop_reason: stopReason }: AssistantMessage) {
  const error = toSerializedError(new SdkError(code, sentence, { data: { stopReason } }));
  return { type: 'failed', error } satisfies TurnEnd;
}

/** Informs the model of its cut reply. Undefined if the result of a call already does. */
function describeCutReply(
  message: AssistantMessage,
  calls: number,
  cutCall: string | undefined,
): string | undefined {
  const limit = describeLimit(message);
  if (cutCall !== undefined) return describeCutCall(cutCall, limit);
  if (calls > 0) return undefined;
  const saidSomething = message.content.some(({ type }) => type === 'text');
  return saidSomething
    ? `Your last message reached ${limit} and was cut off there. Go on exactly where it ended, without repeating any of it.`
    : `Your last reply reached ${limit} before it said anything. Think less, and do the work in smaller steps.`;
}

/**
 * The call's end for the model. If the output limit has cut the call, the result explains that: the
 * same call would be cut again.
 */
export function explainCutCall(settled: Settled, message: AssistantMessage): Settled {
  const { toolUse, state } = settled;
  const isCut = message.stop_reason === 'max_tokens' && state === 'output-error';
  const last = message.content.at(-1);
  if (!isCut || !last || !isToolUseBlock(last) || last.id !== toolUse.id) return settled;
  // Some servers close the block even so. Without any of its input the call looks like one with an
  // empty input.
  const isPart = toolUse.inputError !== undefined || isEmpty(toolUse.input);
  if (!isPart) return settled;
  return settleWithError(toolUse, describeCutCall(toolUse.name, describeLimit(message)));
}

function describeCutCall(tool: string, limit: string): string {
  return `Your message reached ${limit} within this call of ${tool}, so it was not run. The same call would be cut off again: send less in one call. Write a long text in parts, the first with one call and each further part with another.`;
}

/** Describes the limit. A reply that the limit has cut has exactly that many tokens. */
function describeLimit({ usage }: AssistantMessage): string {
  const { output_tokens: count } = usage;
  return count > 0 ? `the limit of ${count} output tokens` : 'the limit of output tokens';
}

function isEmpty(input: unknown): boolean {
  return typeof input === 'object' && input !== null && Object.keys(input).length === 0;
}
