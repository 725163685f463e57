import type { ValidationResult } from './tool.ts';

/** A result of `validateInput`. `message` says what is wrong with the input; undefined: it is valid. */
export function toValidation(message: string | undefined): Promise<ValidationResult> {
  return Promise.resolve(
    message === undefined ? { result: true } : { result: false, errorCode: 1, message },
  );
}
