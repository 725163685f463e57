// How a nested call's end reaches the code that made it. `loop.ts` calls it, whatever station the
// call ended at.
import { SdkError, toSerializedError } from '../core/errors.ts';
import type { ErrorCode } from '../core/errors.ts';
import type { NestedReply } from '../core/nested-call.ts';
import type { DispatchOutcome } from './dispatch.ts';
import type { Settled } from './settled.ts';

/** `outcome` is left out for a call that was never run. */
export function toNestedReply(settled: Settled, outcome?: DispatchOutcome): NestedReply {
  const { toolUse, denial, state, output, result } = settled;
  const callId = toolUse.id;
  if (state === 'output-available') return { type: 'done', callId, output };
  const error = denial
    ? new SdkError('permission-denied', denial.message)
    : new SdkError(toErrorCode(outcome), toText(result.content));
  return { type: 'failed', callId, error: toSerializedError(error) };
}

function toErrorCode(outcome: DispatchOutcome | undefined): ErrorCode {
  switch (outcome?.type) {
    case undefined:
      return 'invalid-input';
    case 'failed':
      return outcome.error.code;
    case 'aborted':
      return 'aborted';
    case 'lost':
      return 'worker-lost';
    case 'done':
    case 'timed-out':
      return 'tool-failed';
  }
}

function toText(content: Settled['result']['content']): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}
