// Reads fields of untrusted values. The writer uses it for data from other realms.
import { SdkError } from '../../core/errors.ts';

export type Fields = Readonly<Record<string, unknown>>;

/**
 * @throws SdkError `invalid-input` if the value isn't an object. `what` names it in the message.
 */
export function toFields(value: unknown, what: string): Fields {
  if (typeof value === 'object' && value !== null) return value as Fields;
  throw invalid(`${what} is no object.`);
}

/** A whole number from 0. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Creates the error, which the caller throws. */
export function invalid(message: string): SdkError {
  return new SdkError('invalid-input', message);
}
