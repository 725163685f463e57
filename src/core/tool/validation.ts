import type { ValidationResult } from './tool.ts';

/** What `validateInput` answers: `message` says what is wrong with the input; undefined where nothing is. */
export function toValidation(message: string | undefined): Promise<ValidationResult> {
  return Promise.resolve(
    message === undefined ? { result: true } : { result: false, errorCode: 1, message },
  );
}
