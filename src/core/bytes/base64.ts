import { decodeLatin1, encodeLatin1 } from './latin1.ts';

/** Encodes bytes as base64, for message blocks that carry them as text. */
export function encodeBase64(bytes: Uint8Array): string {
  return btoa(decodeLatin1(bytes));
}

/** Inverse: {@link encodeBase64}. Throws for text that isn't base64. */
export function decodeBase64(text: string): Uint8Array {
  return encodeLatin1(atob(text));
}
