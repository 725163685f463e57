// Reads a zip by its central directory. Names, sizes, modes and links are validated before anything
// is unpacked. Each entry is then inflated in pieces, and never beyond its stated size.
import { Crc32 } from '../../core/hashes/crc32.ts';
import { SdkError } from '../../core/errors.ts';
import { defaultMaxBytes, defaultMaxEntries, isBomb } from './archive-entry.ts';
import type { ArchiveEntry, ArchiveLimits } from './archive-entry.ts';
import { ArchivePaths } from './archive-paths.ts';
import { bombError, toArchiveError, tooLargeError } from './read-tar.ts';
import { decodeZipName } from './zip-names.ts';
import { findExtraField, readTimeField, toTime } from './zip-time.ts';

interface ZipEntry {
  readonly path: string;
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
  readonly offset: number;
  readonly mode: number | undefined;
  readonly mtimeMs: number;
}

/** The signature of an entry in the central directory. */
const entryHeader = 0x02014b50;
const stored = 0;
const deflated = 8;
/** The flag for a name in UTF-8. */
const isUtf8 = 0x800;
/** 16 kB are inflated at a time, which expand to at most 1 032 times as much. */
const pieceBytes = 16 * 1024;

/**
 * @throws SdkError `invalid-input` if it isn't a zip, or is damaged, encrypted, or has a forbidden
 * path. `limit-exceeded` if it unpacks to too much, and for a decompression bomb. Throws before the
 * first entry.
 */
export async function* readZip(
  archive: Blob,
  { maxBytes = defaultMaxBytes, maxEntries = defaultMaxEntries }: ArchiveLimits,
): AsyncGenerator<ArchiveEntry> {
  const entries = await readDirectory(archive, maxEntries);
  const total = entries.reduce((sum, { size }) => sum + size, 0);
  if (isBomb(total, archive.size)) throw bombError();
  if (total > maxBytes) throw tooLargeError(entries.at(-1)?.path ?? '');
  const paths = new ArchivePaths();
  for (const entry of entries) paths.add(entry.path, toKind(entry));
  requireApart(entries, archive.size);
  for (const entry of entries) {
    yield {
      path: entry.path,
      kind: toKind(entry),
      size: entry.size,
      mode: entry.mode === undefined ? undefined : entry.mode & 0o777,
      mtimeMs: entry.mtimeMs,
      read: (limit) => inflateEntry(archive, entry, limit),
    };
  }
}

function toKind({ path, mode = 0 }: ZipEntry): ArchiveEntry['kind'] {
  if ((mode & 0o170000) === 0o120000) return 'symlink';
  return path.endsWith('/') ? 'directory' : 'file';
}

async function inflateEntry(archive: Blob, entry: ZipEntry, limit: number): Promise<Uint8Array> {
  const { path, size, packed, offset, method, crc } = entry;
  if (size > limit) throw tooLargeError(path);
  const header = await readView(archive, offset, 30);
  if (header.getUint32(0, true) !== 0x04034b50) throw damaged(`${path} isn't where it should be.`);
  const start = offset + 30 + header.getUint16(26, true) + header.getUint16(28, true);
  if (start + packed > archive.size) throw damaged(`It ends inside of ${path}.`);
  const bytes = new Uint8Array(size);
  const sum = new Crc32();
  let at = 0;
  const take = (piece: Uint8Array) => {
    // Security: the entry has more data than stated, so it isn't held in memory.
    if (at + piece.length > size) throw damaged(`${path} is longer than it says.`);
    bytes.set(piece, at);
    sum.add(piece);
    at += piece.length;
  };
  const source = archive.slice(start, start + packed);
  if (method === stored) take(new Uint8Array(await source.arrayBuffer()));
  else await inflate(source, take);
  if (at < size) throw damaged(`${path} is shorter than it says.`);
  if (sum.value !== crc) throw damaged(`The checksum of ${path} is wrong.`);
  return bytes;
}

async function inflate(source: Blob, take: (piece: Uint8Array) => void): Promise<void> {
  const { Inflate } = await import('fflate');
  const inflater = new Inflate((piece) => take(piece));
  try {
    for (let at = 0; at < source.size || at === 0; at += pieceBytes) {
      const piece = source.slice(at, at + pieceBytes);
      const isLast = at + pieceBytes >= source.size;
      inflater.push(new Uint8Array(await piece.arrayBuffer()), isLast);
    }
  } catch (error) {
    throw toArchiveError(error);
  }
}

/**
 * Security: overlapping entries could expand a small zip to much data while each states its true
 * size.
 */
function requireApart(entries: readonly ZipEntry[], size: number): void {
  const inOrder = entries.toSorted((one, other) => one.offset - other.offset);
  let end = 0;
  for (const { path, offset, packed } of inOrder) {
    if (offset < end) throw damaged(`${path} lies over another entry.`);
    end = offset + 30 + packed;
    if (end > size) throw damaged(`It ends inside of ${path}.`);
  }
}

async function readDirectory(archive: Blob, maxEntries: number): Promise<ZipEntry[]> {
  const { count, offset, length } = await findDirectory(archive);
  if (count > maxEntries) {
    const message = `The archive has ${count} entries; it may have ${maxEntries}. Nothing was unpacked.`;
    throw new SdkError('limit-exceeded', message);
  }
  // An entry takes 46 bytes and a name. A much longer directory can't belong to so few entries.
  if (offset + length > archive.size || length > count * 66_000)
    throw damaged('Its directory is missing.');
  const view = await readView(archive, offset, length);
  const entries: ZipEntry[] = [];
  let at = 0;
  for (let n = 0; n < count; n += 1) {
    if (at + 46 > length || view.getUint32(at, true) !== entryHeader)
      throw damaged('Its directory ends early.');
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((field) =>
      view.getUint16(at + field, true),
    ) as [number, number, number];
    const next = at + 46 + nameLength + extraLength + commentLength;
    if (next > length) throw damaged('Its directory ends early.');
    entries.push(readEntry(view, at, nameLength, extraLength));
    at = next;
  }
  // A writer with 16-bit counters states 65 536 entries too few.
  const isMore = at + 4 <= length && view.getUint32(at, true) === entryHeader;
  if (isMore) throw damaged(`Its directory has more than the ${count} entries that it says.`);
  return entries;
}

function readEntry(view: DataView, at: number, nameLength: number, extraLength: number): ZipEntry {
  const name = new Uint8Array(view.buffer, view.byteOffset + at + 46, nameLength);
  const flags = view.getUint16(at + 8, true);
  const path = decodeZipName(name, (flags & isUtf8) !== 0);
  const method = view.getUint16(at + 10, true);
  if ((flags & 1) !== 0) throw damaged(`${path} is encrypted.`);
  if (method !== stored && method !== deflated)
    throw damaged(`${path} is packed in a way that isn't known here.`);
  const isUnix = view.getUint8(at + 5) === 3;
  const mode = view.getUint16(at + 40, true);
  const large = readLargeNumbers(view, at + 46 + nameLength, extraLength, {
    size: view.getUint32(at + 24, true),
    packed: view.getUint32(at + 20, true),
    offset: view.getUint32(at + 42, true),
  });
  if (method === stored && large.size !== large.packed) throw damaged(`${path} has two sizes.`);
  return {
    path,
    flags,
    method,
    crc: view.getUint32(at + 16, true),
    mode: isUnix && mode !== 0 ? mode : undefined,
    mtimeMs:
      readTimeField(view, at + 46 + nameLength, extraLength) ??
      toTime(view.getUint16(at + 14, true), view.getUint16(at + 12, true)),
    ...large,
  };
}

interface LargeNumbers {
  readonly size: number;
  readonly packed: number;
  readonly offset: number;
}

/** Zip64: numbers that don't fit are in an extra field, in this order. */
function readLargeNumbers(
  view: DataView,
  start: number,
  length: number,
  small: LargeNumbers,
): LargeNumbers {
  const full = 0xffffffff;
  if (small.size !== full && small.packed !== full && small.offset !== full) return small;
  const found = findExtraField(view, start, length, 1);
  let at = found?.start ?? 0;
  const next = (value: number) => {
    if (value !== full) return value;
    if (!found || at + 8 > found.end) throw damaged('A size in it is missing.');
    at += 8;
    return toNumber(view.getBigUint64(at - 8, true));
  };
  return { size: next(small.size), packed: next(small.packed), offset: next(small.offset) };
}

/** Finds the end record. A comment of at most 65 535 bytes may follow it. */
async function findDirectory(archive: Blob) {
  const tailLength = Math.min(archive.size, 22 + 65_535);
  const start = archive.size - tailLength;
  const tail = await readView(archive, start, tailLength);
  for (let at = tailLength - 22; at >= 0; at -= 1) {
    if (tail.getUint32(at, true) !== 0x06054b50) continue;
    const found = {
      count: tail.getUint16(at + 10, true),
      length: tail.getUint32(at + 12, true),
      offset: tail.getUint32(at + 16, true),
    };
    const isLarge =
      found.count === 0xffff || found.offset === 0xffffffff || found.length === 0xffffffff;
    return isLarge ? findLargeDirectory(archive, start + at, found) : found;
  }
  throw damaged('It has no end of a zip.');
}

async function findLargeDirectory(
  archive: Blob,
  end: number,
  found: { readonly count: number; readonly length: number; readonly offset: number },
) {
  const locator = end >= 20 ? await readView(archive, end - 20, 20) : undefined;
  // Without a zip64 record, the number 65 535 is taken literally.
  if (locator?.getUint32(0, true) !== 0x07064b50) return found;
  const at = toNumber(locator.getBigUint64(8, true));
  const record = await readView(archive, at, 56);
  if (record.getUint32(0, true) !== 0x06064b50) throw damaged('Its directory is missing.');
  return {
    count: toNumber(record.getBigUint64(32, true)),
    length: toNumber(record.getBigUint64(40, true)),
    offset: toNumber(record.getBigUint64(48, true)),
  };
}

async function readView(archive: Blob, offset: number, length: number): Promise<DataView> {
  if (offset < 0 || offset + length > archive.size) throw damaged('It ends early.');
  return new DataView(await archive.slice(offset, offset + length).arrayBuffer());
}

function toNumber(value: bigint): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw damaged('A number in it is too large.');
  return Number(value);
}

function damaged(reason: string): SdkError {
  return toArchiveError(new Error(reason));
}
