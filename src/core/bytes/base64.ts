/** Encodes bytes as base64, for message blocks that carry them as text. */
export function encodeBase64(bytes: Uint8Array): string {
  let binary = '';
  // In chunks, because a function call takes a limited number of arguments.
  for (let at = 0; at < bytes.length; at += 8192) {
    binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  }
  return btoa(binary);
}

/** Inverse: {@link encodeBase64}. Throws for text that isn't base64. */
export function decodeBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}
