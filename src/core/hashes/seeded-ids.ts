// Ids and seeds that follow from a session's seed, so that a resumed or replayed session makes the same ones
// again. Pure. Neither is a secret: who has the seed has them all.
import { toHex } from '../bytes/hex.ts';
import { sha256 } from './sha256.ts';

/**
 * The id of what `parts` name within the session: the same for the same seed and parts, another one for any
 * others. In the form of a UUID of version 8 (RFC 9562, section 5.8), made of the first 122 bits of a
 * SHA-256.
 *
 * @example
 * ```ts
 * deriveId(session.seed, 'message', step, 'assistant');
 * ```
 */
export function deriveId(seed: string, ...parts: readonly (string | number)[]): string {
  const bytes = hash('id', seed, parts).subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = toHex(bytes);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/**
 * The seed of a call's own randomness: 32 hexadecimal digits, for the `seed` of its request. No id of the
 * session tells it. A call that runs again has the same one.
 */
export function deriveSeed(seed: string, callId: string): string {
  return toHex(hash('call', seed, [callId]).subarray(0, 16));
}

/** JSON tells where each part ends, so no two lists are the same bytes. */
function hash(purpose: string, seed: string, parts: readonly (string | number)[]): Uint8Array {
  return sha256(new TextEncoder().encode(JSON.stringify([purpose, seed, ...parts])));
}
