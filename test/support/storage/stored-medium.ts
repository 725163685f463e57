// A medium in memory whose files other realms can read by themselves, as those of a browser's
// private file system. They read Blobs, which can't be read any more once the file is removed.
import { createMemoryMedium } from '../../../src/workspace/drivers/memory.ts';
import type { AppendFile, LogMedium, ReadFile } from '../../../src/workspace/log/log-medium.ts';

export interface StoredMedium extends LogMedium {
  /** What was read through the medium itself: of that other realms do none. */
  readonly bytesRead: () => number;
  /** Another byte at this place, in the file and in every Blob of it. */
  damage(name: string, offset: number): Promise<void>;
}

/** A file's bytes for as long as it is there. */
class FileBlob extends Blob {
  readonly #isThere: () => boolean;

  constructor(bytes: Uint8Array<ArrayBuffer>, isThere: () => boolean) {
    super([bytes]);
    this.#isThere = isThere;
  }

  override slice(start?: number, end?: number): Blob {
    const part = super.slice(start, end);
    part.arrayBuffer = async () => {
      if (this.#isThere()) return Blob.prototype.arrayBuffer.call(part);
      throw new DOMException('The file is gone.', 'NotFoundError');
    };
    return part;
  }
}

export function createStoredMedium(): StoredMedium {
  const medium = createMemoryMedium();
  const removed = new Set<string>();
  const damaged = new Map<string, number>();
  let bytesRead = 0;

  async function toBlob(name: string, file: ReadFile, length: number): Promise<Blob> {
    const bytes = new Uint8Array(await file.read(0, length));
    const offset = damaged.get(name);
    if (offset !== undefined) bytes[offset] = (bytes[offset] ?? 0) ^ 1;
    return new FileBlob(bytes, () => !removed.has(name));
  }

  const withBlob = <Kept extends AppendFile | ReadFile>(name: string, file: Kept): Kept => ({
    ...file,
    async read(offset: number, length: number) {
      bytesRead += length;
      return (await file.read(offset, length)).slice();
    },
    readSync: undefined,
    blob: async () => {
      const found = (await medium.list()).find((each) => each.name === name);
      return toBlob(name, file, found?.length ?? 0);
    },
  });

  return {
    ...medium,
    bytesRead: () => bytesRead,
    async damage(name, offset) {
      damaged.set(name, offset);
    },
    create: async (name) => withBlob(name, await medium.create(name)),
    open: async (name) => withBlob(name, await medium.open(name)),
    async remove(name) {
      removed.add(name);
      await medium.remove(name);
    },
  };
}
