// A session's variables as bytes that outlive the worker: a small header before the VM's snapshot.

export interface SavedSession {
  /** Tells one state from another: a session that holds this one already needs no restoring. */
  readonly id: string;
  /** Of the engine that took the snapshot; no other can read it. */
  readonly engine: string;
  /** How many cells have run, for the names in stack traces. */
  readonly cellCount: number;
  readonly snapshot: Uint8Array;
}

/** Inverse: {@link decodeSavedSession}. */
export function encodeSavedSession({ snapshot, ...header }: SavedSession): Uint8Array {
  const text = new TextEncoder().encode(JSON.stringify(header));
  const bytes = new Uint8Array(4 + text.length + snapshot.length);
  new DataView(bytes.buffer).setUint32(0, text.length, true);
  bytes.set(text, 4);
  bytes.set(snapshot, 4 + text.length);
  return bytes;
}

/** Inverse of {@link encodeSavedSession}; undefined for bytes that it didn't make. */
export function decodeSavedSession(bytes: Uint8Array): SavedSession | undefined {
  if (bytes.length < 4) return undefined;
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  if (length > bytes.length - 4) return undefined;
  try {
    const header: unknown = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
    if (!isHeader(header)) return undefined;
    const { id, engine, cellCount } = header;
    return { id, engine, cellCount, snapshot: bytes.subarray(4 + length) };
  } catch {
    return undefined;
  }
}

function isHeader(value: unknown): value is Omit<SavedSession, 'snapshot'> {
  if (typeof value !== 'object' || value === null) return false;
  const { id, engine, cellCount } = value as Record<string, unknown>;
  return typeof id === 'string' && typeof engine === 'string' && typeof cellCount === 'number';
}
