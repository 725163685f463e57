// Reads the error in the body of a refusing server answer. Used by clients.
import { SdkError, fromSerializedError, isSerializedError } from '../core/errors.ts';
import { clipText } from '../core/text/clip-text.ts';
import { parseJson } from '../core/text/parse-json.ts';
import { isRecord } from '../core/values/is-record.ts';

/** Returns the error of a refusing answer. */
export async function toRefusal(response: Response): Promise<SdkError> {
  const { status } = response;
  const text = await response.text().catch(() => '');
  const body = parseJson(text);
  // Security: it came from outside.
  if (isRecord(body) && isSerializedError(body['error'])) return fromSerializedError(body['error']);
  const said = text.trim() === '' ? '' : `: ${clipText(text.trim(), maxSaidChars)}`;
  const message = `The session's server has answered ${status}${said}`;
  // Whatever the foreign text says: it must not be taken for the answer of a place.
  return new SdkError('worker-lost', message, { data: { status } });
}

// A sentence or two, but not a whole page.
const maxSaidChars = 300;
