// The change of a tool's saved state (a Repl's VM has megabytes) by one call: a difference of a few kB, for the journal.
// run-handler.ts computes it where the call ran; executors apply it again.
import { readBytes } from '../bytes/read-bytes.ts';
import { checksum } from '../hashes/checksum.ts';
import { SdkError } from '../errors.ts';

/** The change of a tool's state for the session by one call. Structured-cloneable. */
export interface StateChange {
  readonly toolName: string;
  /** True if the change is a whole state. A new chain begins with it. */
  readonly isWhole: boolean;
  /** Compressed bytes for {@link applyStateChanges}. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The names of {@link KeptState}: at most 1 000. */
  readonly kept: readonly string[];
  /** The ports of {@link KeptState}: at most 1 000. Left out: none. */
  readonly ports?: readonly number[];
}

/** What later calls find in a saved state, as the tool reports it. */
export interface KeptState {
  /** Names that code can use. */
  readonly names: readonly string[];
  /** The ports on which servers in the state listen. Only the session's code can reach them. */
  readonly ports: readonly number[];
}

/**
 * True if the next change should be a whole state. That is so if there is none yet, and if the changes together are
 * larger than the first, whole one. So a chain is never more than twice as long as its first part. The argument has
 * the sizes of the chain's parts in bytes, first the whole one.
 */
export function isChainHeavy([whole, ...changes]: readonly number[]): boolean {
  return whole === undefined || changes.reduce((sum, size) => sum + size, 0) > whole;
}

/**
 * Encodes `after` as its difference from `before`. It is encoded as a whole if there is no state before, or if most
 * of it differs. Inverse: {@link applyStateChanges}.
 */
export async function encodeStateChange(
  before: Uint8Array | undefined,
  after: Uint8Array,
): Promise<Pick<StateChange, 'isWhole' | 'bytes'>> {
  const difference = before && diffState(before, after);
  const isWhole = !difference || difference.length > after.length / 2;
  const encoded = isWhole ? diffState(noState, after) : difference;
  return { isWhole, bytes: await through(new CompressionStream('gzip'), encoded) };
}

/**
 * The state that a chain gives. The first change must be a whole one, and the others must follow in their order.
 *
 * @throws SdkError `invalid-input` if a change doesn't fit the one before it, or its bytes are cut, edited or
 * damaged. Then nothing of the chain can be used
 */
export async function applyStateChanges(
  changes: readonly Uint8Array<ArrayBuffer>[],
): Promise<Uint8Array> {
  let state: Uint8Array = noState;
  for (const bytes of changes) state = patchState(state, await decompress(bytes));
  return state;
}

const noState = new Uint8Array();

// 256 bytes. With larger blocks a typical change has up to five times as many bytes (measured with 1 and 4 KiB). With
// smaller ones the list of blocks grows by more than is saved.
const blockBytes = 256;

// The format, length and checksum of the state, the same of the state before, and how many runs follow.
const headerBytes = 24;
// A run's first block, and its number of blocks.
const runBytes = 8;
// "RPS", and 1.
const format = 0x0153_5052;

// Several times the largest heap of a cell. A larger claim can't come from our code.
const maxStateBytes = 512 * 1024 * 1024;

/**
 * The blocks of `after` that differ from `before`. If `before` is shorter, it counts as padded with zeros. Inverse:
 * {@link patchState}.
 */
export function diffState(before: Uint8Array, after: Uint8Array): Uint8Array<ArrayBuffer> {
  const runs = findRuns(toWords(before), toWords(after));
  const dataAt = headerBytes + runs.length * runBytes;
  const dataBytes = runs.reduce((sum, run) => sum + bytesOf(run, after.length).length, 0);
  const encoded = new Uint8Array(dataAt + dataBytes);
  const view = new DataView(encoded.buffer);
  const header = [format, after.length, checksum(after), before.length, checksum(before)];
  [...header, runs.length].forEach((word, at) => view.setUint32(at * 4, word, true));
  let at = dataAt;
  for (const [index, run] of runs.entries()) {
    view.setUint32(headerBytes + index * runBytes, run.first, true);
    view.setUint32(headerBytes + index * runBytes + 4, run.count, true);
    const { from, length } = bytesOf(run, after.length);
    encoded.set(after.subarray(from, from + length), at);
    at += length;
  }
  return encoded;
}

/**
 * The state after a {@link diffState}.
 *
 * @throws SdkError `invalid-input` if `before` isn't the state that was compared, or the bytes are incomplete or
 * changed
 */
export function patchState(before: Uint8Array, encoded: Uint8Array): Uint8Array {
  const view = new DataView(encoded.buffer, encoded.byteOffset, encoded.byteLength);
  if (encoded.length < headerBytes || view.getUint32(0, true) !== format) {
    throw damaged('It is of another format.');
  }
  const header = [4, 8, 12, 16, 20].map((at) => view.getUint32(at, true));
  const [length = 0, sum, beforeLength, beforeSum, runCount = 0] = header;
  if (before.length !== beforeLength || checksum(before) !== beforeSum) {
    throw damaged('It was made for another state than the one before it.');
  }
  let at = headerBytes + runCount * runBytes;
  if (length > maxStateBytes || at > encoded.length) throw damaged('It is cut.');
  const state = new Uint8Array(length);
  state.set(before.subarray(0, length));
  for (let index = 0; index < runCount; index += 1) {
    const first = view.getUint32(headerBytes + index * runBytes, true);
    const count = view.getUint32(headerBytes + index * runBytes + 4, true);
    const place = bytesOf({ first, count }, length);
    if (place.length <= 0 || at + place.length > encoded.length) throw damaged('It is cut.');
    state.set(encoded.subarray(at, at + place.length), place.from);
    at += place.length;
  }
  if (at !== encoded.length || checksum(state) !== sum) throw damaged('Its checksum differs.');
  return state;
}

/** Consecutive blocks. */
interface Run {
  readonly first: number;
  readonly count: number;
}

/** The bytes of a run in a state of this length; the last block may be short. */
function bytesOf({ first, count }: Run, length: number) {
  const from = first * blockBytes;
  return { from, length: Math.min(count * blockBytes, length - from) };
}

function findRuns(before: Uint32Array, after: Uint32Array): Run[] {
  const runs: Run[] = [];
  const blockWords = blockBytes / 4;
  let first = -1;
  const blocks = Math.ceil(after.length / blockWords);
  for (let block = 0; block < blocks; block += 1) {
    const end = Math.min((block + 1) * blockWords, after.length);
    let at = block * blockWords;
    while (at < end && after[at] === (before[at] ?? 0)) at += 1;
    if (at < end && first < 0) first = block;
    if (at === end && first >= 0) {
      runs.push({ first, count: block - first });
      first = -1;
    }
  }
  if (first >= 0) runs.push({ first, count: blocks - first });
  return runs;
}

/**
 * The bytes as words. Copies only if the bytes don't begin or end at a word boundary. The last word is padded with
 * zeros.
 */
function toWords(bytes: Uint8Array): Uint32Array {
  if (bytes.byteOffset % 4 === 0 && bytes.length % 4 === 0) {
    return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  }
  const padded = new Uint8Array(Math.ceil(bytes.length / 4) * 4);
  padded.set(bytes);
  return new Uint32Array(padded.buffer);
}

async function decompress(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  try {
    return await through(new DecompressionStream('gzip'), bytes);
  } catch (error) {
    if (SdkError.isInstance(error)) throw error;
    throw damaged('It is cut, or was changed.', error);
  }
}

async function through(
  stream: CompressionStream | DecompressionStream,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  // Security: a few kB may claim to be gigabytes.
  const whole = await readBytes(new Blob([bytes]).stream().pipeThrough(stream), 2 * maxStateBytes);
  if (!whole) throw damaged('It is longer than any state can be.');
  return whole;
}

function damaged(why: string, cause?: unknown): SdkError {
  return new SdkError(
    'invalid-input',
    `A saved state of the session can't be read: ${why} Go back to an earlier point, or go on without it.`,
    { cause },
  );
}
