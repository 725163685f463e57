// Derives ids and seeds from a session's seed, so that a resumed or replayed session gets the same ones again. Pure.
// They aren't secret: anyone who has the session's seed can derive them.
import { toHex } from '../bytes/hex.ts';
import { sha256 } from './sha256.ts';

/**
 * Derives an id from a session's seed. `parts` name the thing within the session: equal parts and seeds give the same
 * id, others give different ones. The id is a UUID of version 8 (RFC 9562, section 5.8), made of the first 122 bits
 * of a SHA-256 hash.
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
 * Derives the seed of a call's random numbers: 32 hexadecimal digits, for the `seed` of its request. It can't be
 * derived from an id of the session. A call that runs again gets the same seed.
 */
export function deriveSeed(seed: string, callId: string): string {
  return toHex(hash('call', seed, [callId]).subarray(0, 16));
}

/** The parts are encoded as JSON, so different lists never give the same bytes. */
function hash(purpose: string, seed: string, parts: readonly (string | number)[]): Uint8Array {
  return sha256(new TextEncoder().encode(JSON.stringify([purpose, seed, ...parts])));
}
