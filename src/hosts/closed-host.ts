// The error of every call on a closed host.
import { SdkError } from '../core/errors.ts';

export function createClosedHostError(): SdkError {
  return new SdkError('bad-usage', 'The host is closed. Create a new one.');
}
