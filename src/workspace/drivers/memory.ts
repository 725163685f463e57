// The memory driver, for tests, Node, isolates and small embeddings. Its data ends with the
// process.
import type { AppendFile, LogMedium } from '../log/log-medium.ts';
import { createMissingFileError, requireInside } from './refusals.ts';

/**
 * Keeps the log's files in memory. Files that compaction removes are freed. `close` keeps the
 * files.
 */
export function createMemoryMedium(): LogMedium {
  const files = new Map<string, AppendFile>();
  return {
    driver: 'memory',
    isPersistent: false,
    list: async () => [...files].map(([name, file]) => ({ name, length: file.length() })),
    async create(name) {
      const file = createFile(name);
      files.set(name, file);
      return file;
    },
    async open(name) {
      const file = files.get(name);
      if (!file) throw createMissingFileError(name);
      return file;
    },
    remove: async (name) => void files.delete(name),
    checkFence() {},
    async close() {},
  };
}

function createFile(name: string): AppendFile {
  const chunks: { readonly start: number; readonly bytes: Uint8Array }[] = [];
  let length = 0;

  /**
   * Finds the last chunk that begins at or before the offset, by binary search: a log has a chunk
   * for each commit.
   */
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
    requireInside(name, length, offset, wanted);
    let at = chunkAt(offset);
    const chunk = chunks[at];
    // Most contents are within one chunk. They aren't copied, because a log's bytes never change.
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
    length: () => length,
    append(bytes) {
      if (bytes.length === 0) return;
      chunks.push({ start: length, bytes });
      length += bytes.length;
    },
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
