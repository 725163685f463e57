/** A character for each byte, whatever encoding the bytes are in. */
export function decodeLatin1(bytes: Uint8Array): string {
  let text = '';
  // In pieces, because a call takes a limited number of arguments. Not spread, which goes through an iterator.
  for (let at = 0; at < bytes.length; at += 8192) {
    text += Reflect.apply(String.fromCharCode, undefined, bytes.subarray(at, at + 8192)) as string;
  }
  return text;
}

/** Inverse: {@link decodeLatin1}. Takes the lower byte of each character. */
export function encodeLatin1(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  // Not by `from`, which goes through an iterator: 8 MB would take a second.
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
  return bytes;
}
