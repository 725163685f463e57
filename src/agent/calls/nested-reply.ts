// How a nested call's end reaches the code that made it. `run-nested-call.ts` calls it, whatever station the
// call ended at.
import type { toResultText } from '../../core/blocks.ts';
import { SdkError, toSerializedError } from '../../core/errors.ts';
import type { ErrorCode } from '../../core/errors.ts';
import { maxNestedCalls } from '../../core/tool/nested-call.ts';
import type { NestedReply } from '../../core/tool/nested-call.ts';
import type { DispatchOutcome } from './dispatch.ts';
import type { Settled } from './settled.ts';

/** `outcome` is undefined for a call that was never run. */
export function toNestedReply(
  settled: Settled,
  outcome: DispatchOutcome | undefined,
  toText: typeof toResultText,
): NestedReply {
  const { toolUse, denial, state, output, result } = settled;
  const callId = toolUse.id;
  if (state === 'output-available') return { type: 'done', callId, output };
  const error = denial
    ? new SdkError('permission-denied', denial.message)
    : new SdkError(toErrorCode(outcome), toText(result));
  return { type: 'failed', callId, error: toSerializedError(error) };
}

/** For a call that is one too many: it is neither judged nor told of. */
export function toLimitReply(callId: string): NestedReply {
  const error = new SdkError(
    'limit-exceeded',
    `The code of one call may call tools ${maxNestedCalls} times, and this one has.`,
  );
  return { type: 'failed', callId, error: toSerializedError(error) };
}

function toErrorCode(outcome: DispatchOutcome | undefined): ErrorCode {
  if (!outcome) return 'invalid-input';
  if (outcome.type === 'failed') return outcome.error.code;
  return outcome.type === 'aborted' ? 'aborted' : 'tool-failed';
}
