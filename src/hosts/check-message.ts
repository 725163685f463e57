// How readers of protocols refuse what isn't theirs: read-message.ts in a browser, isolate-wire.ts
// between isolates.
import { SdkError } from '../core/errors.ts';

/** @throws SdkError `invalid-input`, which names `what` was refused, where the condition doesn't hold */
export function check(condition: boolean, what: string): asserts condition {
  if (!condition) throw refusal(what);
}

export function refusal(what: string): SdkError {
  return new SdkError('invalid-input', `Refused ${what}: it isn't part of the protocol.`);
}

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}
