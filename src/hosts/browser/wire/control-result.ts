// Results of control methods as plain data, because comlink's marshalling of errors keeps the
// message but loses code and data.
import { fromSerializedError, toSerializedError } from '../../../core/errors.ts';
import type { ControlResult } from './protocol.ts';

/** Runs the function and returns its value or error. Inverse: {@link fromControlResult}. */
export async function toControlResult<Value>(
  run: () => Promise<Value>,
): Promise<ControlResult<Value>> {
  try {
    return { ok: true, value: await run() };
  } catch (error) {
    return { ok: false, error: toSerializedError(error) };
  }
}

/** Returns the value, or throws the error. Inverse: {@link toControlResult}. */
export function fromControlResult<Value>(outcome: ControlResult<Value>): Value {
  if (outcome.ok) return outcome.value;
  throw fromSerializedError(outcome.error);
}
