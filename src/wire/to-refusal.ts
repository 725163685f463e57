// What a server's answer that refuses says: the error in its body. Used by clients.
import { SdkError, fromSerializedError, isSerializedError } from '../core/errors.ts';
import { clipText } from '../core/text/clip-text.ts';
import { isRecord } from '../core/values/is-record.ts';

/** What an answer that refuses says. */
export async function toRefusal(response: Response): Promise<SdkError> {
  const { status } = response;
  const text = await response.text().catch(() => '');
  const body = parse(text);
  // Security: it came from outside.
  if (isRecord(body) && isSerializedError(body['error'])) return fromSerializedError(body['error']);
  const said = text.trim() === '' ? '' : `: ${clipText(text.trim(), maxSaidChars)}`;
  const message = `The session's server has answered ${status}${said}`;
  // Whatever it says in words of its own: who moves a session must not take it for the place's answer.
  return new SdkError('worker-lost', message, { data: { status } });
}

// A sentence or two, and no page.
const maxSaidChars = 300;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
