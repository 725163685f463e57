// Reads fields of untrusted values. The writer checks with it what another realm sent.
import { SdkError } from '../../core/errors.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** Throws `invalid-input` for what is no object; `what` names it. */
export function toFields(value: unknown, what: string): Fields {
  if (typeof value === 'object' && value !== null) return value as Fields;
  throw invalid(`${what} is no object.`);
}

/** A whole number from 0. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Makes the error; the caller throws it. */
export function invalid(message: string): SdkError {
  return new SdkError('invalid-input', message);
}
