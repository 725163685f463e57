// Object ids: 20 bytes of SHA-1, written as 40 hexadecimal digits, and how they are computed.
import { Sha1 } from './sha1.ts';

/** The four kinds of objects that git has. */
export type ObjectType = 'blob' | 'commit' | 'tag' | 'tree';

/** True for 40 lower-case hexadecimal digits. */
export function isOid(text: string): boolean {
  return /^[0-9a-f]{40}$/u.test(text);
}

/** Returns the 20 bytes from `at` on as hexadecimal digits. */
export function toOid(bytes: Uint8Array, at = 0): string {
  let text = '';
  // 256 is added so that each byte has two digits.
  for (let i = at; i < at + 20; i += 1) text += (256 + (bytes[i] ?? 0)).toString(16).slice(1);
  return text;
}

/** Inverse of {@link toOid}. The text must be an oid. */
export function fromOid(oid: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(20);
  for (let i = 0; i < 20; i += 1) {
    bytes[i] = (digitOf(oid.charCodeAt(i * 2)) << 4) | digitOf(oid.charCodeAt(i * 2 + 1));
  }
  return bytes;
}

/** The digits `0` to `9` come before `a` to `f`. */
function digitOf(unit: number): number {
  return unit < 58 ? unit - 48 : unit - 87;
}

/** Returns the header of an object's bytes, in loose files and in the hash. */
export function objectHeader(type: ObjectType, length: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new TextEncoder().encode(`${type} ${length}\0`));
}

/** The object's id as 20 bytes. */
export function hashObject(type: ObjectType, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Sha1().update(objectHeader(type, bytes.length)).update(bytes).digest();
}
