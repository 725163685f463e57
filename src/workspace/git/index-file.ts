// Git's index as data: reads versions 2 to 4 and writes version 2 or 3. Used by the git object, and
// by the workspace's writer to merge two indexes (merge-index.ts).
import { SdkError } from '../../core/errors.ts';

/**
 * Fields that git compares with `lstat` to detect a changed file. If all are 0, git reads the file.
 */
export interface IndexStat {
  readonly ctimeSeconds: number;
  readonly ctimeNanoseconds: number;
  readonly mtimeSeconds: number;
  readonly mtimeNanoseconds: number;
  readonly dev: number;
  readonly ino: number;
  readonly uid: number;
  readonly gid: number;
  /** The file's size in bytes, truncated to 32 bits. */
  readonly size: number;
}

/** One path at one stage. */
export interface IndexEntry extends IndexStat {
  /** Relative to the work tree's root, without a leading slash. */
  readonly path: string;
  /** The path's bytes in the index. They differ from `path` if they aren't UTF-8. */
  readonly name: Uint8Array;
  /** 0 for an ordinary entry; 1 to 3 are base, ours and theirs of an unresolved conflict. */
  readonly stage: number;
  /** The mode as in a tree: 0o100644, 0o100755, 0o120000 or 0o160000. */
  readonly mode: number;
  /** 40 hexadecimal digits. */
  readonly oid: string;
  readonly isAssumedValid: boolean;
  readonly skipsWorktree: boolean;
  readonly isIntentToAdd: boolean;
}

// From git's Documentation/gitformat-index.txt: the header, the fixed part of an entry, and an oid.
const headerBytes = 12;
const fixedBytes = 62;
const oidBytes = 20;
const signature = 0x44495243;

/**
 * Returns the entries in order. Extensions are left out, because those that git may skip are
 * caches.
 *
 * @throws SdkError `invalid-input` for bytes that aren't an index, and for one with a required
 * extension that isn't supported (a split or sparse index). The checksum isn't verified.
 */
export function readIndex(bytes: Uint8Array): IndexEntry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = bytes.length - oidBytes;
  if (end < headerBytes || view.getUint32(0) !== signature) throw damaged('it has no header');
  const version = view.getUint32(4);
  if (version < 2 || version > 4) throw damaged(`its version is ${version}`);
  const count = view.getUint32(8);
  const entries: IndexEntry[] = [];
  let at = headerBytes;
  let before: Uint8Array = new Uint8Array();
  for (let index = 0; index < count; index += 1) {
    if (at + fixedBytes > end) throw damaged('it ends within an entry');
    const flags = view.getUint16(at + 60);
    const isExtended = (flags & 0x4000) !== 0;
    const extended = isExtended ? view.getUint16(at + fixedBytes) : 0;
    const from = at + fixedBytes + (isExtended ? 2 : 0);
    const { name, next } =
      version === 4 ? readShortName(bytes, from, before) : readName(bytes, from, at);
    if (next > end) throw damaged('it ends within a name');
    entries.push({
      path: decoder.decode(name),
      name,
      stage: (flags >> 12) & 3,
      mode: view.getUint32(at + 24),
      oid: toHex(bytes.subarray(at + 40, at + 60)),
      isAssumedValid: (flags & 0x8000) !== 0,
      skipsWorktree: (extended & 0x4000) !== 0,
      isIntentToAdd: (extended & 0x2000) !== 0,
      ctimeSeconds: view.getUint32(at),
      ctimeNanoseconds: view.getUint32(at + 4),
      mtimeSeconds: view.getUint32(at + 8),
      mtimeNanoseconds: view.getUint32(at + 12),
      dev: view.getUint32(at + 16),
      ino: view.getUint32(at + 20),
      uid: view.getUint32(at + 28),
      gid: view.getUint32(at + 32),
      size: view.getUint32(at + 36),
    });
    before = name;
    at = next;
  }
  requireKnownExtensions(bytes, view, at, end);
  return entries;
}

const decoder = new TextDecoder();

/** A name ends with one to eight NULs, so that the entry's length is a multiple of eight. */
function readName(bytes: Uint8Array, from: number, entry: number) {
  const end = bytes.indexOf(0, from);
  if (end < 0) throw damaged('it ends within a name');
  return { name: bytes.subarray(from, end), next: entry + (((end - entry) >> 3) + 1) * 8 };
}

/** In version 4: how many bytes are removed from the end of the previous name, then the bytes to append. */
function readShortName(bytes: Uint8Array, from: number, before: Uint8Array) {
  let at = from;
  let byte = bytes[at] ?? 0;
  let cut = byte & 127;
  while ((byte & 128) !== 0) {
    at += 1;
    byte = bytes[at] ?? 0;
    cut = (cut + 1) * 128 + (byte & 127);
  }
  const end = bytes.indexOf(0, at + 1);
  if (end < 0 || cut > before.length) throw damaged('it ends within a name');
  const kept = before.subarray(0, before.length - cut);
  const name = new Uint8Array(kept.length + end - at - 1);
  name.set(kept);
  name.set(bytes.subarray(at + 1, end), kept.length);
  return { name, next: end + 1 };
}

/** An extension whose name begins with a lower-case letter changes the meaning of the entries. */
function requireKnownExtensions(bytes: Uint8Array, view: DataView, from: number, end: number) {
  for (let at = from; at + 8 <= end; at += 8 + view.getUint32(at + 4)) {
    const name = decoder.decode(bytes.subarray(at, at + 4));
    if (/^[A-Z]/u.test(name)) continue;
    throw new SdkError(
      'invalid-input',
      `The index uses git's extension '${name}', which isn't known here. Switch it off with git (a split or a sparse index), then try again.`,
      { data: { extension: name } },
    );
  }
}

/** Returns the file's bytes with a checksum. Entries are in git's order, without extensions. */
export async function writeIndex(entries: readonly IndexEntry[]): Promise<Uint8Array> {
  const sorted = entries.toSorted(compareEntries);
  const version = sorted.some(isExtendedEntry) ? 3 : 2;
  let length = headerBytes + oidBytes;
  for (const entry of sorted) length += entryBytes(entry);
  const bytes = new Uint8Array(length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, signature);
  view.setUint32(4, version);
  view.setUint32(8, sorted.length);
  let at = headerBytes;
  for (const entry of sorted) {
    writeEntry(bytes, view, at, entry);
    at += entryBytes(entry);
  }
  bytes.set(new Uint8Array(await crypto.subtle.digest('SHA-1', bytes.subarray(0, at))), at);
  return bytes;
}

/** Orders entries as git does: by the bytes of the name, then by stage. */
export function compareEntries(left: IndexEntry, right: IndexEntry): number {
  const length = Math.min(left.name.length, right.name.length);
  for (let at = 0; at < length; at += 1) {
    const difference = (left.name[at] ?? 0) - (right.name[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return left.name.length - right.name.length || left.stage - right.stage;
}

function isExtendedEntry({ skipsWorktree, isIntentToAdd }: IndexEntry): boolean {
  return skipsWorktree || isIntentToAdd;
}

function entryBytes(entry: IndexEntry): number {
  const length = fixedBytes + (isExtendedEntry(entry) ? 2 : 0) + entry.name.length;
  return ((length >> 3) + 1) * 8;
}

function writeEntry(bytes: Uint8Array, view: DataView, at: number, entry: IndexEntry): void {
  const { ctimeSeconds, ctimeNanoseconds, mtimeSeconds, mtimeNanoseconds } = entry;
  const { dev, ino, mode, uid, gid, size, oid, name, stage } = entry;
  const words = [ctimeSeconds, ctimeNanoseconds, mtimeSeconds, mtimeNanoseconds];
  words.push(dev, ino, mode, uid, gid, size);
  words.forEach((word, index) => view.setUint32(at + index * 4, word));
  writeHex(oid, bytes, at + 40);
  const isExtended = isExtendedEntry(entry);
  // The length of a name of 4095 bytes or more isn't stored; its NUL ends it.
  const flags = (stage << 12) | Math.min(name.length, 0xfff);
  view.setUint16(at + 60, flags | (entry.isAssumedValid ? 0x8000 : 0) | (isExtended ? 0x4000 : 0));
  if (isExtended) {
    const { skipsWorktree, isIntentToAdd } = entry;
    view.setUint16(at + fixedBytes, (skipsWorktree ? 0x4000 : 0) | (isIntentToAdd ? 0x2000 : 0));
  }
  bytes.set(name, at + fixedBytes + (isExtended ? 2 : 0));
}

const hexBytes = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

function toHex(bytes: Uint8Array): string {
  let hex = '';
  for (const byte of bytes) hex += hexBytes[byte] ?? '';
  return hex;
}

function writeHex(hex: string, bytes: Uint8Array, from: number): void {
  for (let at = 0; at < oidBytes; at += 1) {
    const [high, low] = [digitOf(hex.charCodeAt(at * 2)), digitOf(hex.charCodeAt(at * 2 + 1))];
    bytes[from + at] = (high << 4) | low;
  }
}

/** The digits `0` to `9` come before `a` to `f`. */
function digitOf(unit: number): number {
  return unit < 58 ? unit - 48 : unit - 87;
}

function damaged(why: string): SdkError {
  return new SdkError(
    'invalid-input',
    `This is no index of git: ${why}. Make it anew with git reset.`,
  );
}
