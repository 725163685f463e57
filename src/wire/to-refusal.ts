// What a server's answer that refuses says: the error in its body. Used by clients.
import { SdkError, fromSerializedError } from '../core/errors.ts';
import { isRecord } from '../core/values/is-record.ts';
import { isSerializedError } from './protocol.ts';

/** What an answer that refuses says. */
export async function toRefusal(response: Response): Promise<SdkError> {
  const body: unknown = await response.json().catch(() => undefined);
  // Security: it came from outside.
  if (isRecord(body) && isSerializedError(body['error'])) return fromSerializedError(body['error']);
  return new SdkError('worker-lost', `The session's server has answered ${response.status}.`, {
    data: { status: response.status },
  });
}
