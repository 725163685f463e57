// The files that a session began with, as its export may hold them, so that its calls can run again. Written
// and read by journal-file.ts; agent/replay writes them into a workspace.
import type { Version } from '../../core/change-set.ts';
import { SdkError } from '../../core/errors.ts';
import { isRecord } from '../../core/values/is-record.ts';
import { resolvePath } from '../../core/path.ts';
import { isSessionPath } from '../../core/session/session-path.ts';
import type { FileSystem } from '../../workspace/files/file-system.ts';

// 64 MB: with base64 a sixth of what a session file may have unpacked.
const MAX_BYTES = 64 * 1024 * 1024;

/** One path. Directories come before what is in them. */
export type BaseEntry =
  | { readonly path: string; readonly type: 'directory' }
  | { readonly path: string; readonly type: 'symlink'; readonly target: string }
  | {
      readonly path: string;
      readonly type: 'file';
      readonly mtimeMs: number;
      readonly bytes: Uint8Array;
    };

/** A tree as the session found it. */
export interface SessionBase {
  /** The number of the workspace's last record when the session began. */
  readonly seq: Version;
  readonly entries: readonly BaseEntry[];
}

/**
 * Reads the whole tree, but for the session's own files: of the checkpoint of the session's first turn.
 *
 * @throws SdkError `limit-exceeded` for files of more than 64 MB in all.
 */
export async function readBase(
  fs: Pick<FileSystem, 'lstat' | 'readFile' | 'readdir' | 'readlink'>,
  seq: Version,
): Promise<SessionBase> {
  const entries: BaseEntry[] = [];
  let size = 0;
  const read = async (directory: string): Promise<void> => {
    for (const name of (await fs.readdir(directory)).toSorted()) {
      const path = directory === '/' ? `/${name}` : `${directory}/${name}`;
      if (isSessionPath(path)) continue;
      const stats = await fs.lstat(path);
      if (stats.isDirectory()) {
        entries.push({ path, type: 'directory' });
        await read(path);
      } else if (stats.isSymbolicLink()) {
        entries.push({ path, type: 'symlink', target: await fs.readlink(path) });
      } else {
        size += stats.size;
        if (size > MAX_BYTES) throw tooLarge();
        const bytes = await fs.readFile(path);
        entries.push({ path, type: 'file', mtimeMs: stats.mtimeMs, bytes });
      }
    }
  };
  await read('/');
  return { seq, entries };
}

/** As JSON. Inverse of {@link fromBaseJson}. */
export function toBaseJson(
  { seq, entries }: SessionBase,
  encode: (bytes: Uint8Array) => string,
): unknown {
  const written = entries.map((entry) =>
    entry.type === 'file' ? { ...entry, bytes: encode(entry.bytes) } : entry,
  );
  return { seq, entries: written };
}

/** Undefined for anything else, since others may have written it. */
export function fromBaseJson(
  value: unknown,
  decode: (base64: string) => Uint8Array,
): SessionBase | undefined {
  if (!isRecord(value) || typeof value.seq !== 'number' || !Array.isArray(value.entries)) {
    return undefined;
  }
  const entries: BaseEntry[] = [];
  for (const entry of value.entries as readonly unknown[]) {
    const read = toEntry(entry, decode);
    if (!read) return undefined;
    entries.push(read);
  }
  return { seq: value.seq, entries };
}

function toEntry(value: unknown, decode: (base64: string) => Uint8Array): BaseEntry | undefined {
  if (!isRecord(value)) return undefined;
  const { path, type, target, mtimeMs, bytes } = value;
  if (typeof path !== 'string' || path === '/' || resolvePath('/', path) !== path) return undefined;
  if (isSessionPath(path)) return undefined;
  if (type === 'directory') return { path, type };
  if (type === 'symlink' && typeof target === 'string') return { path, type, target };
  if (type !== 'file' || typeof bytes !== 'string') return undefined;
  if (typeof mtimeMs !== 'number' || !Number.isFinite(mtimeMs)) return undefined;
  return { path, type, mtimeMs, bytes: decode(bytes) };
}

/** Writes it over what is there. Links last: nothing is written through one. */
export async function writeBase(
  fs: Pick<FileSystem, 'mkdir' | 'symlink' | 'utimes' | 'writeFile'>,
  { entries }: SessionBase,
): Promise<void> {
  for (const entry of entries) {
    if (entry.type === 'directory') await fs.mkdir(entry.path, { recursive: true });
    if (entry.type !== 'file') continue;
    await fs.writeFile(entry.path, entry.bytes);
    // Glob gives the newest first.
    await fs.utimes(entry.path, new Date(entry.mtimeMs), new Date(entry.mtimeMs));
  }
  for (const entry of entries) {
    if (entry.type === 'symlink') await fs.symlink(entry.target, entry.path);
  }
}

function tooLarge(): SdkError {
  return new SdkError(
    'limit-exceeded',
    `The files that the session began with have more than ${MAX_BYTES / 1024 / 1024} MB: export it without them.`,
    { data: { limit: MAX_BYTES } },
  );
}
