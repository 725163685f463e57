// SHA-256 of a text, for what is kept or compared by its content: a person's trust in files, and
// instructions that were told already.
import { toHex } from '../bytes/hex.ts';

/** Lower-case hex, of the text in UTF-8. */
export async function toSha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return toHex(new Uint8Array(digest));
}
