// The log in memory: for tests, Node, isolates and tiny embeds. Gone with the process.
import type { LogStore } from '../log-store.ts';

/** Keeps every byte ever appended: what was overwritten in the workspace is not freed. */
export function createMemoryStore(): LogStore {
  const chunks: { readonly start: number; readonly bytes: Uint8Array }[] = [];
  let length = 0;

  /** The last chunk that begins at or before the offset, by halving: a log has as many as commits. */
  const chunkAt = (offset: number): number => {
    let low = 0;
    let high = chunks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((chunks[middle]?.start ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  };

  const readSync = (offset: number, wanted: number): Uint8Array => {
    if (offset < 0 || wanted < 0 || offset + wanted > length) {
      throw new RangeError(`The log holds ${length} bytes; ${offset}+${wanted} were asked for.`);
    }
    let at = chunkAt(offset);
    const chunk = chunks[at];
    // Within one chunk, as contents mostly are, nothing need be copied: bytes of a log never change.
    if (chunk && offset + wanted <= chunk.start + chunk.bytes.length) {
      return chunk.bytes.subarray(offset - chunk.start, offset - chunk.start + wanted);
    }
    const result = new Uint8Array(wanted);
    for (let filled = 0; filled < wanted; at += 1) {
      const { start, bytes } = chunks[at] ?? { start: length, bytes: new Uint8Array(0) };
      const from = offset + filled - start;
      const part = bytes.subarray(from, from + wanted - filled);
      result.set(part, filled);
      filled += part.length;
    }
    return result;
  };

  return {
    driver: 'memory',
    isPersistent: false,
    length: () => length,
    append(bytes) {
      if (bytes.length === 0) return;
      chunks.push({ start: length, bytes });
      length += bytes.length;
    },
    flush() {},
    truncate(wanted) {
      while (chunks.length > 0 && (chunks.at(-1)?.start ?? 0) >= wanted) chunks.pop();
      const last = chunks.at(-1);
      if (last && last.start + last.bytes.length > wanted) {
        chunks[chunks.length - 1] = { ...last, bytes: last.bytes.slice(0, wanted - last.start) };
      }
      length = Math.min(length, wanted);
    },
    read: readSync,
    readSync,
    close() {},
  };
}
