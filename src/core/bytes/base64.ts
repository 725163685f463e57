/** Encodes bytes as base64, for message blocks that carry them as text. */
export function encodeBase64(bytes: Uint8Array): string {
  let binary = '';
  // In chunks, because a function call takes a limited number of arguments. Not spread, which goes through an iterator.
  for (let at = 0; at < bytes.length; at += 8192) {
    binary += Reflect.apply(
      String.fromCharCode,
      undefined,
      bytes.subarray(at, at + 8192),
    ) as string;
  }
  return btoa(binary);
}

/** Inverse: {@link encodeBase64}. Throws for text that isn't base64. */
export function decodeBase64(text: string): Uint8Array {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  // Not by `from`, for the same reason: 8 MB would take a second.
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
  return bytes;
}
