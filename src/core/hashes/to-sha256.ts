// SHA-256 of a text, to compare contents: a person's trust in files, and instructions that the model has already got.
import { toHex } from '../bytes/hex.ts';

/** The hash of the text's UTF-8 bytes, in lower-case hex. */
export async function toSha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return toHex(new Uint8Array(digest));
}
