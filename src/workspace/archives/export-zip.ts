// Exports the workspace as a zip, for a person who takes the project elsewhere.
import { checkOptionNames } from '../../core/check-option-names.ts';
import { throwIfAborted } from '../../core/async/abort.ts';
import { SdkError } from '../../core/errors.ts';
import { compilePathGlob } from '../../core/glob/path-glob.ts';
import { joinPath } from '../../core/path.ts';
import { toTimeField } from './zip-time.ts';
import type { RootTree } from '../workspace.ts';

/** What the zip contains. */
export interface ExportZipOptions {
  /** An absolute path. Paths in the zip are relative to it. */
  readonly directory: string;
  /** Globs relative to that directory, in the syntax of permission rules. */
  readonly exclude?: readonly string[];
  readonly signal?: AbortSignal;
}

/** 64 kB are deflated before the stream waits for its reader. */
const pieceBytes = 64 * 1024;

// The limits of a plain zip: the packer doesn't support zip64.
const maxEntries = 0xffff;
const maxBytes = 0xffffffff;

/**
 * Packs files with their modes and times, empty directories, and links as links. The stream fails
 * with any error of reading, with `aborted`, with `EIO` if a file changes while it is packed, and
 * with `limit-exceeded` beyond 65 535 entries or 4 GiB. One file at a time is in memory.
 */
export function exportZip(
  workspace: RootTree,
  options: ExportZipOptions,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  checkOptionNames('exportZip', options, knownOptions);
  const pieces = packZip(workspace, options);
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await pieces.return(undefined);
    },
  });
}

async function* packZip(
  { fs }: RootTree,
  { directory, exclude = [], signal }: ExportZipOptions,
): AsyncGenerator<Uint8Array<ArrayBuffer>, undefined> {
  const { Zip, ZipDeflate, ZipPassThrough } = await import('fflate');
  const globs = exclude.map((glob) => compilePathGlob(directory, glob));
  const ready: Uint8Array<ArrayBuffer>[] = [];
  let failed: Error | null = null;
  const zip = new Zip((error, piece) => {
    failed ??= error;
    // The cast is safe: fflate allocates its buffers itself, but its types don't say so.
    if (piece) ready.push(piece as Uint8Array<ArrayBuffer>);
  });
  const requireWhole = () => {
    if (failed)
      throw new SdkError('EIO', `The zip can't be made: ${String(failed)}`, { cause: failed });
  };
  const isPacked = (name: string) => !globs.some((glob) => glob.test(joinPath(directory, name)));
  const names = (await fs.readdir(directory, { recursive: true })).filter(isPacked).sort();
  if (names.length > maxEntries) {
    throw tooLargeError(`${names.length} files and directories, where a zip has ${maxEntries}`);
  }
  let packedBytes = 0;
  for (const name of names) {
    throwIfAborted(signal);
    const path = joinPath(directory, name);
    const stats = await fs.lstat(path);
    const isDirectory = stats.isDirectory();
    const isFile = !isDirectory && !stats.isSymbolicLink();
    const bytes = await readEntry();
    if (bytes.length > maxBytes) throw tooLargeError(`${name}, where a file in a zip has 4 GiB`);
    const entry =
      isFile && bytes.length > 0
        ? new ZipDeflate(name, { mem: tableSizeFor(bytes.length) })
        : new ZipPassThrough(isDirectory ? `${name}/` : name);
    // 3 means Unix, whose modes are in the upper half of the attributes.
    entry.os = 3;
    entry.attrs = ((stats.mode & 0xffff) << 16) >>> 0;
    // A zip's years range from 1980 to 2107.
    entry.mtime = new Date(
      Math.min(Math.max(stats.mtimeMs, Date.UTC(1980, 0, 2)), Date.UTC(2107, 0, 1)),
    );
    // That time is of no zone, and this one of UTC.
    entry.extra = toTimeField(stats.mtimeMs);
    zip.add(entry);
    for (let at = 0; at < bytes.length || at === 0; at += pieceBytes) {
      const isLast = at + pieceBytes >= bytes.length;
      entry.push(bytes.subarray(at, at + pieceBytes), isLast);
      requireWhole();
      for (const piece of ready.splice(0)) {
        packedBytes += piece.length;
        yield piece;
      }
      if (packedBytes > maxBytes) throw tooLargeError('more than the 4 GiB of a zip');
    }

    async function readEntry(): Promise<Uint8Array> {
      if (isDirectory) return new Uint8Array();
      if (isFile) return fs.readFile(path);
      return new TextEncoder().encode(await fs.readlink(path));
    }
  }
  zip.end();
  requireWhole();
  yield* ready.splice(0);
  return undefined;
}

/**
 * How large the packer's table is, as a power of two behind 4 kB. By default each file gets one of a megabyte, which
 * takes longer to make than a small file to pack.
 */
function tableSizeFor(length: number): 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 {
  const bits = Math.ceil(Math.min(Math.max(Math.log(length), 8), 13) * 1.5);
  return (bits - 12) as 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;
}

function tooLargeError(what: string): SdkError {
  const message = `The zip can't be made: it would have ${what}. Export a folder of it, or exclude some.`;
  return new SdkError('limit-exceeded', message);
}

const knownOptions = {
  directory: true,
  exclude: true,
  signal: true,
} satisfies Record<keyof ExportZipOptions, true>;
