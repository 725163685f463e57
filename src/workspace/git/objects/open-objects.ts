// The object store of a repository: loose objects and packs of one git directory, read and written
// through a view's files. Status, checkout, merges and transport all read objects here.
import { SdkError } from '../../../core/errors.ts';
import type { SyncFileSystem } from '../../files/file-system.ts';
import { zlibSync } from 'fflate';
import { inflate, inflateBeginning } from './inflate.ts';
import { hashObject, isOid, objectHeader, toOid, type ObjectType } from './oid.ts';
import { maxObjectBytes } from './pack-entry.ts';
import { Pack, type GitObject } from './pack.ts';

/**
 * Objects by their ids of 40 hexadecimal digits. All functions are synchronous, because contents
 * are in the realm that runs git. Packs that a fetch adds later are found without reopening.
 */
export interface ObjectStore {
  /** @throws SdkError `ENOENT` if it doesn't exist, `EIO` if it is damaged */
  read(oid: string): GitObject;
  /** As {@link read}. @throws SdkError `EIO` if the object has another type, too */
  readAs(oid: string, type: ObjectType): Uint8Array;
  has(oid: string): boolean;
  /**
   * Yields the objects without duplicates, in the order of the packs, which is cheapest to read.
   * Nothing is cached, so a checkout holds one file at a time.
   */
  readMany(oids: Iterable<string>): Generator<readonly [oid: string, object: GitObject]>;
  /** Writes a loose object unless it exists, and returns its id. The bytes belong to the caller. */
  write(type: ObjectType, bytes: Uint8Array): string;
  /** Returns up to three ids with this prefix: enough to tell whether a short id is ambiguous. */
  findPrefix(prefix: string): string[];
  /**
   * Returns a unique prefix of the id. Its length grows with the number of packed objects, as in
   * git.
   */
  shorten(oid: string): string;
}

/**
 * Opens the objects of `gitdir`, which contains `objects/`. For a work tree, pass the main
 * repository's directory.
 *
 * @throws SdkError `invalid-input` for a repository that uses objects of another one
 */
export function openObjects(files: SyncFileSystem, gitdir: string): ObjectStore {
  if (files.existsSync(`${gitdir}/objects/info/alternates`)) {
    throw new SdkError(
      'invalid-input',
      `${gitdir} borrows objects from another repository (objects/info/alternates), which isn't ` +
        'supported here. Make it whole with `git repack -a -d` and remove that file.',
      { data: { path: `${gitdir}/objects/info/alternates` } },
    );
  }
  return new FileObjects(files, gitdir);
}

/** Where an object is: an entry of a pack, or a loose file. */
interface Place {
  readonly pack: Pack;
  readonly offset: number;
}

class FileObjects implements ObjectStore {
  readonly #files: SyncFileSystem;
  readonly #directory: string;
  readonly #packs = new Map<string, Pack>();
  /** Directories of loose objects that are known to exist. */
  readonly #made = new Set<string>();

  constructor(files: SyncFileSystem, gitdir: string) {
    this.#files = files;
    this.#directory = `${gitdir}/objects`;
  }

  read(oid: string): GitObject {
    const object = this.#find(checkOid(oid));
    if (object) return object;
    throw new SdkError(
      'ENOENT',
      `ENOENT: object ${oid} isn't in this repository. A shallow clone has only its newest commits: ` +
        'deepen it, or fetch.',
      { data: { oid } },
    );
  }

  readAs(oid: string, type: ObjectType): Uint8Array {
    const object = this.read(oid);
    if (object.type === type) return object.bytes;
    throw new SdkError(
      'EIO',
      `EIO: object ${oid} is a ${object.type}, and a ${type} was expected.`,
      {
        data: { oid },
      },
    );
  }

  has(oid: string): boolean {
    return this.#place(checkOid(oid)) !== undefined || this.#files.existsSync(this.#loosePath(oid));
  }

  *readMany(oids: Iterable<string>): Generator<readonly [oid: string, object: GitObject]> {
    const loose: string[] = [];
    const perPack = new Map<Pack, { oid: string; offset: number }[]>();
    for (const oid of new Set(oids)) {
      const place = this.#place(checkOid(oid));
      if (!place) {
        loose.push(oid);
        continue;
      }
      const wanted = perPack.get(place.pack);
      if (wanted) wanted.push({ oid, offset: place.offset });
      else perPack.set(place.pack, [{ oid, offset: place.offset }]);
    }
    for (const oid of loose) yield [oid, this.read(oid)];
    for (const [pack, wanted] of perPack) {
      wanted.sort((a, b) => a.offset - b.offset);
      for (const { oid, offset } of wanted) yield [oid, this.#readAt({ pack, offset })];
    }
  }

  write(type: ObjectType, bytes: Uint8Array): string {
    const oid = toOid(hashObject(type, bytes));
    if (this.has(oid)) return oid;
    const directory = `${this.#directory}/${oid.slice(0, 2)}`;
    if (!this.#made.has(directory)) {
      this.#files.mkdirSync(directory, { recursive: true });
      this.#made.add(directory);
    }
    const header = objectHeader(type, bytes.length);
    const whole = new Uint8Array(header.length + bytes.length);
    whole.set(header);
    whole.set(bytes, header.length);
    // Read-only, as in git, because objects never change.
    this.#files.writeFileSync(this.#loosePath(oid), zlibSync(whole, { level: 1 }), { mode: 0o444 });
    return oid;
  }

  findPrefix(prefix: string): string[] {
    if (!/^[0-9a-f]{4,40}$/u.test(prefix)) return [];
    const found = new Set<string>();
    this.#findPacks();
    for (const { index } of this.#packs.values()) {
      for (let at = index.findPrefix(prefix); at < index.count && found.size < 3; at += 1) {
        const oid = index.oidAt(at);
        if (!oid.startsWith(prefix)) break;
        found.add(oid);
      }
    }
    const directory = prefix.slice(0, 2);
    const path = `${this.#directory}/${directory}`;
    for (const name of this.#files.existsSync(path) ? this.#files.readdirSync(path) : []) {
      const oid = directory + name;
      if (found.size < 3 && isOid(oid) && oid.startsWith(prefix)) found.add(oid);
    }
    return [...found];
  }

  shorten(oid: string): string {
    let packed = 0;
    for (const { index } of this.#findPacks()) packed += index.count;
    // Git's rule: enough digits to distinguish the square of the number of objects.
    let length = Math.max(7, Math.ceil(packed.toString(2).length / 2));
    while (length < oid.length && this.findPrefix(oid.slice(0, length)).length > 1) length += 1;
    return oid.slice(0, length);
  }

  #find(oid: string): GitObject | undefined {
    const known = this.#placeIn(this.#packs.values(), oid);
    if (known) return this.#readAt(known);
    const path = this.#loosePath(oid);
    // Objects of a recent commit are mostly loose. A pack that was added since is looked for last.
    if (this.#files.existsSync(path)) return readLoose(this.#files.viewFileSync(path), oid);
    const place = this.#placeIn(this.#findPacks(), oid);
    return place && this.#readAt(place);
  }

  #place(oid: string): Place | undefined {
    return this.#placeIn(this.#packs.values(), oid) ?? this.#placeIn(this.#findPacks(), oid);
  }

  #placeIn(packs: Iterable<Pack>, oid: string): Place | undefined {
    for (const pack of packs) {
      const offset = pack.index.offsetOf(oid);
      if (offset !== undefined) return { pack, offset };
    }
    return undefined;
  }

  #readAt({ pack, offset }: Place): GitObject {
    return pack.readAt(offset, (base) => this.read(base));
  }

  /** Returns packs that weren't known yet. A pack is valid once its index exists. */
  #findPacks(): Pack[] {
    const directory = `${this.#directory}/pack`;
    if (!this.#files.existsSync(directory)) return [];
    const found: Pack[] = [];
    const names = this.#files.readdirSync(directory).filter((name) => name.endsWith('.idx'));
    for (const known of this.#packs.keys()) {
      if (!names.includes(known)) this.#packs.delete(known);
    }
    for (const name of names) {
      if (this.#packs.has(name)) continue;
      const path = `${directory}/${name}`;
      const pack = new Pack(
        this.#files.viewFileSync(path.replace(/\.idx$/u, '.pack')),
        this.#files.viewFileSync(path),
      );
      this.#packs.set(name, pack);
      found.push(pack);
    }
    return found;
  }

  #loosePath(oid: string): string {
    return `${this.#directory}/${oid.slice(0, 2)}/${oid.slice(2)}`;
  }
}

// 32: the longest valid header (`commit 268435456` and a zero) has 17 bytes.
const headerBytes = 32;

function readLoose(file: Uint8Array, oid: string): GitObject {
  const beginning = new Uint8Array(headerBytes);
  const length = inflateBeginning(file, beginning);
  const end = beginning.subarray(0, length).indexOf(0);
  const header = new TextDecoder().decode(beginning.subarray(0, Math.max(end, 0)));
  const [, type, size] = /^(blob|commit|tag|tree) (\d{1,10})$/u.exec(header) ?? [];
  if (!type || Number(size) > maxObjectBytes) {
    throw new SdkError('EIO', `EIO: object ${oid} has no header or is too large.`, {
      data: { oid },
    });
  }
  const whole = new Uint8Array(end + 1 + Number(size));
  inflate(file, 0, whole);
  return { type: type as ObjectType, bytes: whole.subarray(end + 1) };
}

function checkOid(oid: string): string {
  if (isOid(oid)) return oid;
  throw new SdkError('invalid-input', `${JSON.stringify(oid)} is no object id: it has 40 digits.`);
}
