// Rejects malformed protocol messages. Used by read-message.ts (browser) and isolate-wire.ts
// (between isolates).
import { SdkError } from '../core/errors.ts';

/**
 * Asserts a condition on a received message.
 *
 * @throws SdkError `invalid-input`, which names `what`, if the condition is false
 */
export function check(condition: boolean, what: string): asserts condition {
  if (!condition) throw refusal(what);
}

export function refusal(what: string): SdkError {
  return new SdkError('invalid-input', `Refused ${what}: it isn't part of the protocol.`);
}

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}
