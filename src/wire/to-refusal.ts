// What a server's answer that refuses says: the error in its body. Used by clients.
import { SdkError, fromSerializedError } from '../core/errors.ts';
import type { SerializedError } from '../core/errors.ts';
import { isRecord } from '../core/is-record.ts';

/** What an answer that refuses says. */
export async function toRefusal(response: Response): Promise<SdkError> {
  const body: unknown = await response.json().catch(() => undefined);
  if (isRecord(body) && isRecord(body['error'])) {
    return fromSerializedError(body['error'] as unknown as SerializedError);
  }
  return new SdkError('worker-lost', `The session's server has answered ${response.status}.`, {
    data: { status: response.status },
  });
}
