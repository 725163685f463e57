// A simulated disk for the log. It loses, tears and reorders data that wasn't flushed, stops in the middle of a call,
// and has former owners that continue. A seed determines what happens.
import { SdkError } from '../../../src/core/errors.ts';
import type { AppendFile, LogMedium, ReadFile } from '../../../src/workspace/log/log-medium.ts';
import { createRandom } from '../random.ts';

/** A random whole number from 0 to below `end`. */
export type Random = (end: number) => number;

interface DiskFile {
  bytes: Uint8Array;
  /** The content at the last flush. Undefined before the first. */
  flushed: Uint8Array | undefined;
  /** The writes since then, in order. */
  pending: ({ readonly offset: number; readonly bytes: Uint8Array } | { readonly cut: number })[];
}

export class TornDisk {
  files = new Map<string, DiskFile>();
  /** Removed, but a loss of power may bring them back. */
  #removed = new Map<string, DiskFile>();
  #random: Random;
  #owner = 0;
  /** All owners up to this number have ended with their process. */
  #ended = 0;
  /** How many changing calls are left until everything stops in the middle of one. */
  stepsLeft = Number.POSITIVE_INFINITY;
  /** Appends beyond this size fail in their middle, as on a full disk. */
  capacity = Number.POSITIVE_INFINITY;
  isDead = false;
  /** The call in which it stopped last: the operation and the file. */
  cut: string | undefined;
  /** Nobody can flush a former owner's files while it holds them. */
  isHeld = false;
  /** The greatest number of event-loop turns until an append, or a refusal by the fence, is reported. */
  slowness = 0;

  constructor(random: Random = createRandom(1).below) {
    this.#random = random;
  }

  /** Takes the disk over. Former owners continue, but are fenced. */
  open(): LogMedium {
    this.#owner += 1;
    const owner = this.#owner;
    const passTurns = () => this.#passTurns();
    const checkFence = () => {
      this.#requireAlive(owner);
      if (owner !== this.#owner) throw new SdkError('EFENCED', 'EFENCED: taken over.');
    };
    return {
      driver: 'torn',
      isPersistent: true,
      list: async () => {
        this.#requireAlive(owner);
        return [...this.files].map(([name, { bytes }]) => ({ name, length: bytes.length }));
      },
      create: async (name) => {
        this.#step(owner, `create ${name}`);
        if ((this.files.get(name)?.bytes.length ?? 0) > 0) {
          throw new SdkError('EEXIST', `EEXIST: ${name}`);
        }
        const file: DiskFile = { bytes: new Uint8Array(0), flushed: undefined, pending: [] };
        this.files.set(name, file);
        return this.#appendFile(name, file, owner);
      },
      open: async (name) => {
        this.#requireAlive(owner);
        const file = this.files.get(name);
        if (!file) throw new SdkError('ENOENT', `ENOENT: ${name}`);
        return this.#readFile(name, file, owner);
      },
      remove: async (name) => {
        this.#step(owner, `remove ${name}`);
        const file = this.files.get(name);
        if (file?.flushed) this.#removed.set(name, file);
        this.files.delete(name);
      },
      async checkFence() {
        try {
          checkFence();
        } catch (error) {
          await passTurns();
          throw error;
        }
      },
      close: async () => {},
    };
  }

  /** The process ends: everything that was written is kept, and all owners end. */
  kill(): void {
    this.#revive();
  }

  /** The power fails: of the data that wasn't flushed, any part is kept, in any order. */
  losePower(): void {
    for (const [name, file] of this.#removed) {
      if (!this.files.get(name)?.flushed && this.#random(2) === 0) this.files.set(name, file);
    }
    for (const [name, file] of this.files) {
      if (!file.flushed && this.#random(3) === 0) this.files.delete(name);
      else file.bytes = this.#partly(file);
      file.flushed = file.bytes;
      file.pending = [];
    }
    this.#removed.clear();
    this.#revive();
  }

  #revive(): void {
    this.#ended = this.#owner;
    this.isDead = false;
    this.stepsLeft = Number.POSITIVE_INFINITY;
  }

  #partly({ flushed, pending }: DiskFile): Uint8Array {
    let bytes = flushed ?? new Uint8Array(0);
    for (const write of pending) {
      if (this.#random(3) === 0) continue;
      if ('cut' in write) {
        bytes = bytes.slice(0, write.cut);
        continue;
      }
      const length = this.#random(2) === 0 ? write.bytes.length : this.#random(write.bytes.length);
      bytes = put(bytes, write.offset, write.bytes.subarray(0, length));
    }
    return bytes;
  }

  #requireAlive(owner: number): void {
    if (this.isDead || owner <= this.#ended) throw new Error('The disk is gone.');
  }

  async #passTurns(): Promise<void> {
    if (this.slowness === 0) return;
    for (let turns = this.#random(this.slowness); turns > 0; turns -= 1) await Promise.resolve();
  }

  #step(owner: number, call: string): void {
    this.#requireAlive(owner);
    this.stepsLeft -= 1;
    if (this.stepsLeft >= 0) return;
    this.cut = call;
    this.isDead = true;
    throw new Error('The disk is gone.');
  }

  /** Bytes of all files. */
  get used(): number {
    return [...this.files.values()].reduce((sum, { bytes }) => sum + bytes.length, 0);
  }

  #readFile(name: string, file: DiskFile, owner: number): ReadFile {
    const readSync = (offset: number, length: number) => {
      this.#requireAlive(owner);
      if (offset + length > file.bytes.length) throw new SdkError('EIO', 'EIO: beyond the end.');
      return file.bytes.slice(offset, offset + length);
    };
    const flush = () => {
      this.#step(owner, `flush ${name}`);
      if (this.isHeld) return false;
      file.flushed = file.bytes;
      file.pending = [];
      return true;
    };
    return {
      read: async (offset, length) => readSync(offset, length),
      readSync,
      flush,
      close() {},
    };
  }

  #appendFile(name: string, file: DiskFile, owner: number): AppendFile {
    const write = (bytes: Uint8Array) => {
      const offset = file.bytes.length;
      file.pending.push({ offset, bytes });
      file.bytes = put(file.bytes, offset, bytes);
    };
    const reading = this.#readFile(name, file, owner);
    return {
      ...reading,
      length: () => file.bytes.length,
      append: async (bytes, durability) => {
        try {
          this.#step(owner, `append ${name}`);
        } catch (error) {
          // Writes a part of the last operation.
          if (owner > this.#ended && this.stepsLeft === -1)
            write(bytes.subarray(0, this.#random(bytes.length + 1)));
          throw error;
        }
        const room = Math.max(0, this.capacity - this.used);
        write(bytes.subarray(0, room));
        if (bytes.length > room) throw new DOMException('full', 'QuotaExceededError');
        if (durability === 'power') {
          file.flushed = file.bytes;
          file.pending = [];
        }
        await this.#passTurns();
      },
      truncate: async (length) => {
        this.#step(owner, `truncate ${name}`);
        file.pending.push({ cut: length });
        file.bytes = file.bytes.slice(0, length);
      },
    };
  }
}

/** Which segments say that others were set aside, as if the disk had been damaged. */
export function asideOn(disk: TornDisk): string[] {
  const tells = ({ bytes }: DiskFile) => new TextDecoder().decode(bytes).includes('"aside":');
  return [...disk.files].filter(([, file]) => tells(file)).map(([name]) => name);
}

/** Another disk with the same files, all of them flushed. */
export function copyDisk(disk: TornDisk, random: Random): TornDisk {
  const copy = new TornDisk(random);
  for (const [name, { bytes }] of disk.files) {
    copy.files.set(name, { bytes, flushed: bytes, pending: [] });
  }
  return copy;
}

/** A gap beyond the end is filled with zeros, as when a file system has reordered writes. */
function put(bytes: Uint8Array, offset: number, added: Uint8Array): Uint8Array {
  const result = new Uint8Array(Math.max(bytes.length, offset + added.length));
  result.set(bytes);
  result.set(added, offset);
  return result;
}
