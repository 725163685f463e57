// What a host says that is closed, whatever it is asked.
import { SdkError } from '../core/errors.ts';

export function createClosedHostError(): SdkError {
  return new SdkError('bad-usage', 'The host is closed. Create a new one.');
}
