// Synchronous functions of Node's crypto, for which platforms only have promises: AES and key
// derivation. Implemented with the noble libraries.
import { cbc, ctr, ecb, gcm } from '@noble/ciphers/aes.js';
import { hkdf } from '@noble/hashes/hkdf.js';
import { md5, sha1 } from '@noble/hashes/legacy.js';
import { pbkdf2 } from '@noble/hashes/pbkdf2.js';
import { scrypt } from '@noble/hashes/scrypt.js';
import { sha256, sha384, sha512 } from '@noble/hashes/sha2.js';
import { SdkError } from '../../core/errors.ts';
import { isRecord } from '../../core/values/is-record.ts';
import { invalidArgument, tooMuch } from './guest-arguments.ts';

const whole = { disablePadding: true };
const modes = {
  ecb: (key: Uint8Array, _iv: Uint8Array) => ecb(key, whole),
  cbc: (key: Uint8Array, iv: Uint8Array) => cbc(key, iv, whole),
  ctr: (key: Uint8Array, iv: Uint8Array) => ctr(key, iv),
  gcm: (key: Uint8Array, iv: Uint8Array, more: Uint8Array) => gcm(key, iv, more),
};

export interface CipherStep {
  readonly mode: string;
  readonly isDecrypting: boolean;
  readonly key: Uint8Array;
  readonly iv: Uint8Array;
  /** GCM's additional authenticated data. */
  readonly more: Uint8Array;
  /** Must be whole blocks for ECB and CBC. */
  readonly data: Uint8Array;
}

/**
 * Runs AES. GCM's tag follows the text.
 *
 * @throws SdkError for invalid sizes
 */
export function runCipher({ mode, isDecrypting, key, iv, more, data }: CipherStep): Uint8Array {
  if (!isKeyOf(modes, mode)) throw invalidArgument('mode', 'one of ecb, cbc, ctr, gcm');
  try {
    const cipher = modes[mode](key, iv, more);
    return isDecrypting ? cipher.decrypt(data) : cipher.encrypt(data);
  } catch (error) {
    throw new SdkError('invalid-input', error instanceof Error ? error.message : 'AES failed', {
      cause: error,
    });
  }
}

const hashes = { md5, sha1, sha256, sha384, sha512 };

// 600 000: at most some seconds on a slow machine. A derivation is one call and can't be
// interrupted.
const maxRounds = 600_000;
const maxScryptSteps = 1_048_576;

/** A validated derivation. */
export interface Derivation {
  /** How many steps the derivation counts for if clocks stand still. */
  readonly steps: number;
  run(): Uint8Array;
}

/**
 * Validates PBKDF2, HKDF or scrypt.
 * @throws SdkError for any other derivation, and for one that would take too long or need more than
 * `maxBytes` of memory
 */
export function prepareDerivation(
  value: unknown,
  secret: Uint8Array,
  salt: Uint8Array,
  info: Uint8Array,
  maxBytes: number,
): Derivation {
  if (!isRecord(value)) throw invalidArgument('derivation', 'an object');
  const { kind, hash } = value;
  const number = (name: string, min: number) => {
    const given = value[name];
    if (Number.isSafeInteger(given) && Number(given) >= min) return Number(given);
    throw invalidArgument(name, `an integer, ${min} or more`);
  };
  const dkLen = number('length', 1);
  if (kind === 'scrypt') {
    const [N, r, p] = [number('N', 2), number('r', 1), number('p', 1)];
    const steps = N * r * p;
    if (steps > maxScryptSteps)
      throw tooMuch(`scrypt may take ${maxScryptSteps} steps here (N × r × p)`);
    if (128 * r * (N + p) + dkLen > maxBytes)
      throw tooMuch(`scrypt may take ${maxBytes} bytes here`);
    return { steps: 1 + steps / 350, run: () => scrypt(secret, salt, { N, r, p, dkLen }) };
  }
  if (typeof hash !== 'string' || !isKeyOf(hashes, hash))
    throw invalidArgument('hash', `one of ${Object.keys(hashes).join(', ')}`);
  const made = hashes[hash];
  if (kind === 'hkdf') {
    if (dkLen > 255 * made.outputLen) throw invalidArgument('length', '255 hashes at most');
    return { steps: 1, run: () => hkdf(made, secret, salt, info, dkLen) };
  }
  if (kind !== 'pbkdf2') throw invalidArgument('kind', 'pbkdf2, hkdf or scrypt');
  const c = number('iterations', 1);
  const rounds = c * Math.ceil(dkLen / made.outputLen);
  if (rounds > maxRounds)
    throw tooMuch(
      `pbkdf2Sync may take ${maxRounds} rounds here (use pbkdf2 with a callback for more)`,
    );
  return { steps: 1 + rounds / 333, run: () => pbkdf2(made, secret, salt, { c, dkLen }) };
}

function isKeyOf<Table extends object>(table: Table, key: PropertyKey): key is keyof Table {
  return Object.hasOwn(table, key);
}
