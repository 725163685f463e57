// A session's variables as bytes that outlive the worker: a small header before the VM's snapshot.

export interface SavedSession {
  /** Tells one state from another: a session that holds this one already needs no restoring. */
  readonly id: string;
  /** Of the engine that took the snapshot; no other can read it. */
  readonly engine: string;
  /** Of the guest's world in it; another host doesn't fit it. */
  readonly world: string;
  /** How many cells have run, for the names in stack traces. */
  readonly cellCount: number;
  readonly snapshot: Uint8Array;
}

interface Header extends Omit<SavedSession, 'snapshot'> {
  /** Of the snapshot in bytes: what was cut off while it was written is known by it. */
  readonly length: number;
}

/** Inverse: {@link decodeSavedSession}. */
export function encodeSavedSession({ snapshot, ...state }: SavedSession): Uint8Array {
  const header: Header = { ...state, length: snapshot.length };
  const text = new TextEncoder().encode(JSON.stringify(header));
  const bytes = new Uint8Array(4 + text.length + snapshot.length);
  new DataView(bytes.buffer).setUint32(0, text.length, true);
  bytes.set(text, 4);
  bytes.set(snapshot, 4 + text.length);
  return bytes;
}

/** Inverse of {@link encodeSavedSession}; undefined for bytes that it didn't make, or not all. */
export function decodeSavedSession(bytes: Uint8Array): SavedSession | undefined {
  if (bytes.length < 4) return undefined;
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  if (length > bytes.length - 4) return undefined;
  try {
    const header: unknown = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
    const snapshot = bytes.subarray(4 + length);
    if (!isHeader(header) || header.length !== snapshot.length) return undefined;
    const { id, engine, world, cellCount } = header;
    return { id, engine, world, cellCount, snapshot };
  } catch {
    return undefined;
  }
}

function isHeader(value: unknown): value is Header {
  if (typeof value !== 'object' || value === null) return false;
  const { id, engine, world, cellCount, length } = value as Record<string, unknown>;
  const texts = [id, engine, world].every((text) => typeof text === 'string');
  return texts && typeof cellCount === 'number' && typeof length === 'number';
}
