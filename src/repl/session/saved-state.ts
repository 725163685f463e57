// Encodes a session's variables as bytes that outlive the worker: a small header, then the VM's
// snapshot.
import type { ContentId } from '../../core/change-set.ts';

export interface SavedSession {
  /** The id of the state. A session that already holds this state isn't restored. */
  readonly id: string;
  /** The version of the engine that took the snapshot. No other version can read it. */
  readonly engine: string;
  /** The version of the guest's world in the snapshot. It must match the host's version. */
  readonly world: string;
  /** The number of cells that have run. Stack traces name cells by it. */
  readonly cellCount: number;
  /** In a tainted session: the newest content that may be loaded as code. See download-taint.ts. */
  readonly newestContent?: ContentId | undefined;
  readonly snapshot: Uint8Array;
}

type Header = Omit<SavedSession, 'snapshot'>;

// The lengths of the header's text and of the snapshot. They show whether a state was truncated
// while it was written.
const lengthBytes = 8;
// The header is padded with blanks to a multiple of this. The snapshot then has the same offset in
// the next state, so the pages of the two can be compared.
const textStep = 512;

/**
 * Encodes a saved session. Inverse: {@link decodeSavedSession}. `snapshot` is called with the
 * number of bytes to leave free at the beginning. The result uses its buffer without a copy.
 */
export function encodeSavedSession(
  header: Header,
  snapshot: (room: number) => Uint8Array,
): { readonly bytes: Uint8Array; readonly snapshot: Uint8Array } {
  const json = JSON.stringify(header);
  // The JSON text is ASCII, so each character takes one byte.
  const length = Math.ceil((lengthBytes + json.length) / textStep) * textStep - lengthBytes;
  const text = new TextEncoder().encode(json.padEnd(length));
  const room = lengthBytes + text.length;
  const bytes = snapshot(room);
  const lengths = new DataView(bytes.buffer, bytes.byteOffset);
  lengths.setUint32(0, text.length, true);
  lengths.setUint32(4, bytes.length - room, true);
  bytes.set(text, lengthBytes);
  return { bytes, snapshot: bytes.subarray(room) };
}

/** Inverse of {@link encodeSavedSession}. Returns undefined for truncated or unknown bytes. */
export function decodeSavedSession(bytes: Uint8Array): SavedSession | undefined {
  if (bytes.length < lengthBytes) return undefined;
  const lengths = new DataView(bytes.buffer, bytes.byteOffset);
  const room = lengthBytes + lengths.getUint32(0, true);
  if (room + lengths.getUint32(4, true) !== bytes.length) return undefined;
  try {
    const text = new TextDecoder().decode(bytes.subarray(lengthBytes, room));
    const header: unknown = JSON.parse(text);
    if (!isHeader(header)) return undefined;
    const { id, engine, world, cellCount, newestContent } = header;
    return { id, engine, world, cellCount, newestContent, snapshot: bytes.subarray(room) };
  } catch {
    return undefined;
  }
}

function isHeader(value: unknown): value is Header {
  if (typeof value !== 'object' || value === null) return false;
  const { id, engine, world, cellCount, newestContent = 0 } = value as Record<string, unknown>;
  const texts = [id, engine, world].every((text) => typeof text === 'string');
  const numbers = [cellCount, newestContent].every((number) => typeof number === 'number');
  return texts && numbers;
}
