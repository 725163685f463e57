// Stores a pack that a server has sent. It verifies the pack, completes a thin one, and writes it
// with a new index. Nothing of an incomplete or damaged pack is written.
import { zlibSync } from 'fflate';
import { throwIfAborted } from '../../../core/async/abort.ts';
import { nextTask } from '../../../core/async/next-task.ts';
import { joinBytes } from '../../../core/bytes/join-bytes.ts';
import { Crc32 } from '../../../core/hashes/crc32.ts';
import type { SyncFileSystem } from '../../files/file-system.ts';
import { applyDelta } from './apply-delta.ts';
import { inflate } from './inflate.ts';
import { fromOid, hashObject, toOid } from './oid.ts';
import type { ObjectStore } from './open-objects.ts';
import {
  damaged,
  inflateEntry,
  maxObjectBytes,
  packTypeNumber,
  readPackEntry,
  type PackEntry,
} from './pack-entry.ts';
import { formatPackIndex } from './pack-index.ts';
import type { GitObject } from './pack.ts';
import { Sha1 } from './sha1.ts';

/** Optional arguments of {@link receivePack}. */
export interface ReceivePackOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called from time to time with the number of indexed objects. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** The pack's file and its objects. */
export interface ReceivedPack {
  /** `pack-….pack`, in `objects/pack`. */
  readonly name: string;
  readonly objects: number;
  readonly bytes: number;
}

const headerBytes = 12;
const checksumBytes = 20;
// 9: one byte for type and size, and eight for the shortest zlib stream.
const leastEntryBytes = 9;
// 12 ms: then other work in this worker and an abort get a turn.
const turnMs = 12;

/**
 * Verifies the pack and writes it to `gitdir`. Resolves to undefined if it is empty. `store` is the
 * repository's own, with the bases that a thin pack leaves out.
 *
 * @throws SdkError `EIO` for a truncated or damaged pack, `limit-exceeded` for an object that is
 * too large, `aborted`
 */
export async function receivePack(
  files: SyncFileSystem,
  {
    gitdir,
    pack,
    store,
  }: {
    readonly gitdir: string;
    readonly pack: Uint8Array<ArrayBuffer>;
    readonly store: ObjectStore;
  },
  options: ReceivePackOptions = {},
): Promise<ReceivedPack | undefined> {
  const checksum = checkPack(pack);
  const count = new DataView(pack.buffer, pack.byteOffset).getUint32(8);
  if (count === 0) return undefined;
  const indexer = new PackIndexer(pack, count, store, options);
  await indexer.run();
  const { bytes, checksum: sum } = indexer.complete(checksum);
  const index = formatPackIndex(indexer.entries(), sum);
  throwIfAborted(options.signal);
  const name = `pack-${toOid(sum)}`;
  const directory = `${gitdir}/objects/pack`;
  files.mkdirSync(directory, { recursive: true });
  // The index is written last, because a pack becomes valid with it.
  files.writeFileSync(`${directory}/${name}.pack`, bytes, { mode: 0o444 });
  files.writeFileSync(`${directory}/${name}.idx`, index, { mode: 0o444 });
  return { name: `${name}.pack`, objects: indexer.count, bytes: bytes.length };
}

/** Returns the pack's checksum after verifying it. */
function checkPack(pack: Uint8Array<ArrayBuffer>): Uint8Array {
  const view = new DataView(pack.buffer, pack.byteOffset, pack.byteLength);
  if (pack.length < headerBytes + checksumBytes || view.getUint32(0) !== 0x5041434b) {
    throw damaged('the server sent no pack, or only its beginning');
  }
  const version = view.getUint32(4);
  if (version !== 2 && version !== 3) throw damaged(`its version ${version} is unknown`);
  // An impossible count is refused before memory is allocated for it.
  const room = pack.length - headerBytes - checksumBytes;
  if (view.getUint32(8) * leastEntryBytes > room) throw damaged('it is cut off');
  const end = pack.length - checksumBytes;
  const sum = new Sha1().update(pack.subarray(0, end)).digest();
  if (toOid(sum) !== toOid(pack, end)) {
    throw damaged('its checksum is wrong, so it is cut off or was changed on the way');
  }
  return sum;
}

/** A base that isn't resolved yet: an entry of the pack, or an object id. */
type Base = { readonly entry: number } | { readonly oid: string };

class PackIndexer {
  count: number;
  readonly #pack: Uint8Array<ArrayBuffer>;
  readonly #store: ObjectStore;
  readonly #options: ReceivePackOptions;
  #oids: Uint8Array;
  #offsets: Uint32Array;
  #checksums: Uint32Array;
  /** Entry → the entries that are deltas of it. */
  readonly #byEntry = new Map<number, number[]>();
  /** Object id → the entries that are deltas of it. */
  readonly #byOid = new Map<string, number[]>();
  /** Bases outside of the pack, with which a thin pack is completed. */
  readonly #added: (GitObject & { readonly oid: string })[] = [];
  #done = 0;
  #steps = 0;
  #turnEnds = 0;

  constructor(
    pack: Uint8Array<ArrayBuffer>,
    count: number,
    store: ObjectStore,
    options: ReceivePackOptions,
  ) {
    this.#pack = pack;
    this.count = count;
    this.#store = store;
    this.#options = options;
    this.#oids = new Uint8Array(count * 20);
    this.#offsets = new Uint32Array(count);
    this.#checksums = new Uint32Array(count);
  }

  async run(): Promise<void> {
    const whole = await this.#readEntries();
    // Deltas are resolved from their bases on, so that each object is built once.
    for (const entry of whole) {
      const children = this.#takeChildren(entry);
      if (children.length > 0) await this.#resolve(this.#readWhole(entry), children);
    }
    await this.#resolveExternal();
    if (this.#done !== this.count) throw damaged('a delta has no base');
    this.#tell();
  }

  entries() {
    return {
      count: this.count,
      oids: this.#oids,
      offsets: this.#offsets,
      checksums: this.#checksums,
    };
  }

  /** Reads all entries in order. Returns the numbers of those that aren't deltas. */
  async #readEntries(): Promise<number[]> {
    const pack = this.#pack;
    const end = pack.length - checksumBytes;
    const body = pack.subarray(0, end);
    const whole: number[] = [];
    let room = new Uint8Array(65_536);
    let at = headerBytes;
    for (let number = 0; number < this.count; number += 1) {
      if (at >= end) throw damaged('it holds fewer objects than it says');
      const entry = readPackEntry(body, at);
      // The bytes are only hashed, so one array is reused for all.
      if (room.length < entry.size) room = new Uint8Array(entry.size);
      const bytes = room.subarray(0, entry.size);
      const next = inflate(body, entry.dataAt, bytes);
      this.#offsets[number] = at;
      this.#checksums[number] = new Crc32().add(pack.subarray(at, next)).value;
      if (entry.type === 'offset-delta' || entry.type === 'oid-delta') {
        this.#await(this.#baseOf(entry, number), number);
      } else {
        this.#oids.set(hashObject(entry.type, bytes), number * 20);
        this.#done += 1;
        whole.push(number);
      }
      at = next;
      if (this.#isTurnOver()) await this.#giveTurn();
    }
    if (at !== end) throw damaged('it holds more than it says');
    return whole;
  }

  #baseOf(
    entry: PackEntry & { readonly type: 'offset-delta' | 'oid-delta' },
    number: number,
  ): Base {
    if (entry.type === 'oid-delta') return { oid: entry.base };
    // Entries are ordered by offset.
    let low = 0;
    let high = number;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#offsets[middle] ?? 0) < entry.base) low = middle + 1;
      else high = middle;
    }
    if (this.#offsets[low] !== entry.base || low === number) {
      throw damaged('a delta has its base between two objects');
    }
    return { entry: low };
  }

  #await(base: Base, number: number): void {
    if ('oid' in base) append(this.#byOid, base.oid, number);
    else append(this.#byEntry, base.entry, number);
  }

  /** Returns the deltas of an entry whose id is now known. Each is returned once. */
  #takeChildren(number: number): number[] {
    const byEntry = this.#byEntry.get(number) ?? [];
    this.#byEntry.delete(number);
    if (this.#byOid.size === 0) return byEntry;
    const oid = toOid(this.#oids, number * 20);
    const byOid = this.#byOid.get(oid) ?? [];
    this.#byOid.delete(oid);
    return [...byEntry, ...byOid];
  }

  /**
   * Resolves all deltas of `base`, and the deltas of those. Depth first, so that few bases are in
   * memory.
   */
  async #resolve(base: GitObject, children: number[]): Promise<void> {
    const stack = [{ base, children }];
    for (let level = stack.at(-1); level; level = stack.at(-1)) {
      const number = level.children.pop();
      if (number === undefined) {
        stack.pop();
        continue;
      }
      const delta = inflateEntry(this.#pack, readPackEntry(this.#pack, this.#offsets[number] ?? 0));
      const bytes = applyDelta(level.base.bytes, delta, maxObjectBytes);
      const { type } = level.base;
      this.#oids.set(hashObject(type, bytes), number * 20);
      this.#done += 1;
      const below = this.#takeChildren(number);
      if (below.length > 0) stack.push({ base: { type, bytes }, children: below });
      if (this.#isTurnOver()) await this.#giveTurn();
    }
  }

  /** Resolves deltas of objects that the server knows this repository to have: a thin pack. */
  async #resolveExternal(): Promise<void> {
    for (const oid of [...this.#byOid.keys()]) {
      const children = this.#byOid.get(oid);
      if (!children || !this.#store.has(oid)) continue;
      this.#byOid.delete(oid);
      const base = this.#store.read(oid);
      this.#added.push({ ...base, oid });
      await this.#resolve(base, children);
    }
  }

  #readWhole(number: number): GitObject {
    const entry = readPackEntry(this.#pack, this.#offsets[number] ?? 0);
    if (entry.type === 'offset-delta' || entry.type === 'oid-delta') {
      throw new TypeError('A delta was taken for a whole object.');
    }
    return { type: entry.type, bytes: inflateEntry(this.#pack, entry) };
  }

  /**
   * Returns the pack, or a thin one with its missing bases added. Git only accepts complete packs
   * in a repository.
   */
  complete(checksum: Uint8Array): { readonly bytes: Uint8Array; readonly checksum: Uint8Array } {
    if (this.#added.length === 0) return { bytes: this.#pack, checksum };
    const body = this.#pack.subarray(0, this.#pack.length - checksumBytes);
    const parts: Uint8Array[] = [body];
    const total = this.count + this.#added.length;
    const oids = new Uint8Array(total * 20);
    const offsets = new Uint32Array(total);
    const checksums = new Uint32Array(total);
    oids.set(this.#oids);
    offsets.set(this.#offsets);
    checksums.set(this.#checksums);
    let at = body.length;
    this.#added.forEach(({ oid, type, bytes }, index) => {
      const number = this.count + index;
      const entry = formatPackEntry({ type, bytes });
      oids.set(fromOid(oid), number * 20);
      offsets[number] = at;
      checksums[number] = new Crc32().add(entry).value;
      parts.push(entry);
      at += entry.length;
    });
    const bytes = joinBytes([...parts, new Uint8Array(checksumBytes)]);
    new DataView(bytes.buffer).setUint32(8, total);
    const sum = new Sha1().update(bytes.subarray(0, at)).digest();
    bytes.set(sum, at);
    this.#oids = oids;
    this.#offsets = offsets;
    this.#checksums = checksums;
    this.count = total;
    return { bytes, checksum: sum };
  }

  /** True if this task has run long enough. The clock is read at every 64th step. */
  #isTurnOver(): boolean {
    this.#steps += 1;
    return (this.#steps & 63) === 0 && performance.now() >= this.#turnEnds;
  }

  async #giveTurn(): Promise<void> {
    this.#tell();
    await nextTask();
    throwIfAborted(this.#options.signal);
    this.#turnEnds = performance.now() + turnMs;
  }

  #tell(): void {
    this.#options.onProgress?.(this.#done, this.count);
  }
}

/** Returns an object as an undeltified pack entry. */
function formatPackEntry({ type, bytes }: GitObject): Uint8Array {
  const header: number[] = [];
  let size = Math.floor(bytes.length / 16);
  let byte = (packTypeNumber(type) << 4) | (bytes.length & 15);
  while (size > 0) {
    header.push(byte | 128);
    byte = size & 127;
    size = Math.floor(size / 128);
  }
  header.push(byte);
  const stream = zlibSync(bytes, { level: 6 });
  const entry = new Uint8Array(header.length + stream.length);
  entry.set(header);
  entry.set(stream, header.length);
  return entry;
}

function append<Key>(map: Map<Key, number[]>, key: Key, number: number): void {
  const list = map.get(key);
  if (list) list.push(number);
  else map.set(key, [number]);
}
