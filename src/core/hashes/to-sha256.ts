// SHA-256 of a text, for what is kept or compared by its content: a person's trust in files, and
// instructions that were told already.

/** Lower-case hex, of the text in UTF-8. */
export async function toSha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
