// Results of control methods as plain data: comlink's own marshalling of thrown errors keeps the
// message and loses code and data.
import { fromSerializedError, toSerializedError } from '../../../core/errors.ts';
import type { ControlResult } from './protocol.ts';

/** Runs it and catches whatever it throws. Inverse: {@link fromControlResult}. */
export async function toControlResult<Value>(
  run: () => Promise<Value>,
): Promise<ControlResult<Value>> {
  try {
    return { ok: true, value: await run() };
  } catch (error) {
    return { ok: false, error: toSerializedError(error) };
  }
}

/** The value, or the error thrown again. Inverse: {@link toControlResult}. */
export function fromControlResult<Value>(outcome: ControlResult<Value>): Value {
  if (outcome.ok) return outcome.value;
  throw fromSerializedError(outcome.error);
}
