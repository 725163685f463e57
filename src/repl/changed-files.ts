// Watches what a cell does to files: each path's content before the cell first touches it, against
// its content at the end. What is written and put back is no change.
import type { FileChange } from '../core/change-set.ts';
import { dirname, joinPath, resolvePath } from '../core/path.ts';
import type { SyncFileSystem } from '../workspace/file-system.ts';
import { toFileChange } from '../workspace/text/patch.ts';

// Patches are for people. A cell that removes a whole tree of large files gets them listed.
const maxKeptBytes = 32 * 1024 * 1024;

/** What stood at a path: null for nothing, `large` when it was too much to keep. */
type Content = Uint8Array | null | 'large';

/** The file system to hand to the cell, and what changed through it. */
export interface ChangedFiles {
  readonly fs: SyncFileSystem;
  /** In the order of their paths. Directories count by their files. */
  changes(): FileChange[];
}

/** `cwd` is what `base` takes relative paths from. */
export function watchChanges(base: SyncFileSystem, cwd: string): ChangedFiles {
  const before = new Map<string, Content>();
  let keptBytes = 0;

  function remember(real: string): void {
    if (before.has(real)) return;
    const content = readContent(base, real);
    if (content instanceof Uint8Array) keptBytes += content.length;
    before.set(real, keptBytes > maxKeptBytes && content !== null ? 'large' : content);
  }

  /** Where a write lands: the last link of the path is followed too. */
  const rememberTarget = (path: string) => remember(followLinks(base, place(path)));
  /** Where the entry itself stands, be it a link. */
  const place = (path: string) => placeOf(base, cwd, path);

  /** All files at and below `path`; and, if they go or come elsewhere, what stands there. */
  function rememberTree(path: string, to?: string): void {
    const files = filesBelow(base, place(path));
    for (const file of files) remember(joinPath(place(path), file));
    if (to === undefined) return;
    const there = place(to);
    for (const file of [...filesBelow(base, there), ...files]) remember(joinPath(there, file));
  }

  const fs: SyncFileSystem = {
    ...bindReads(base),
    writeFileSync: (path, data) => (rememberTarget(path), base.writeFileSync(path, data)),
    appendFileSync: (path, data) => (rememberTarget(path), base.appendFileSync(path, data)),
    truncateSync: (path, length) => (rememberTarget(path), base.truncateSync(path, length)),
    unlinkSync: (path) => (remember(place(path)), base.unlinkSync(path)),
    symlinkSync: (content, path) => (remember(place(path)), base.symlinkSync(content, path)),
    copyFileSync: (from, to) => (rememberTarget(to), base.copyFileSync(from, to)),
    cpSync: (from, to, options) => (rememberTree(from, to), base.cpSync(from, to, options)),
    renameSync: (from, to) => (rememberTree(from, to), base.renameSync(from, to)),
    rmSync: (path, options) => (rememberTree(path), base.rmSync(path, options)),
    // Neither files nor contents come or go by these.
    mkdirSync: (path, options) => base.mkdirSync(path, options),
    mkdtempSync: (prefix) => base.mkdtempSync(prefix),
    rmdirSync: (path) => base.rmdirSync(path),
    chmodSync: (path, mode) => base.chmodSync(path, mode),
    utimesSync: (path, atime, mtime) => base.utimesSync(path, atime, mtime),
  };

  return {
    fs,
    changes() {
      const paths = [...before.keys()].toSorted();
      return paths.flatMap((path) => {
        const old = before.get(path) ?? null;
        const fresh = readContent(base, path);
        if (isSame(old, fresh)) return [];
        if (old !== 'large' && fresh !== 'large') return [toFileChange(path, old, fresh)];
        const type = fresh === null ? 'delete' : 'update';
        return [{ path, type, additions: 0, deletions: 0, structuredPatch: [] } as const];
      });
    },
  };
}

function bindReads(base: SyncFileSystem): Omit<SyncFileSystem, keyof Writes> {
  return {
    readFileSync: base.readFileSync.bind(base),
    existsSync: base.existsSync.bind(base),
    accessSync: base.accessSync.bind(base),
    statSync: base.statSync.bind(base),
    lstatSync: base.lstatSync.bind(base),
    readdirSync: base.readdirSync.bind(base),
    realpathSync: base.realpathSync.bind(base),
    readlinkSync: base.readlinkSync.bind(base),
  };
}

type Writes = Pick<
  SyncFileSystem,
  | 'writeFileSync'
  | 'appendFileSync'
  | 'truncateSync'
  | 'unlinkSync'
  | 'symlinkSync'
  | 'copyFileSync'
  | 'cpSync'
  | 'renameSync'
  | 'rmSync'
  | 'mkdirSync'
  | 'mkdtempSync'
  | 'rmdirSync'
  | 'chmodSync'
  | 'utimesSync'
>;

/** The entry's own place: the folders above it by their real path, if they have one. */
function placeOf(fs: SyncFileSystem, cwd: string, path: string): string {
  const slash = path.replace(/\/+$/u, '').lastIndexOf('/');
  const folder = path.slice(0, slash + 1);
  const name = path.slice(slash + 1).replace(/\/+$/u, '');
  if (name === '.' || name === '..' || name === '') return realOr(fs, path, cwd);
  return joinPath(realOr(fs, folder === '' ? '.' : folder, cwd), name);
}

function realOr(fs: SyncFileSystem, path: string, cwd: string): string {
  try {
    return fs.realpathSync(path);
  } catch {
    // There is nothing yet; what is written there makes it, or fails.
    return resolvePath(cwd, path);
  }
}

// As many as Linux follows.
const maxLinks = 40;

function followLinks(fs: SyncFileSystem, path: string): string {
  let at = path;
  for (let count = 0; count < maxLinks && isLink(fs, at); count += 1) {
    at = placeOf(fs, dirname(at), resolvePath(dirname(at), fs.readlinkSync(at)));
  }
  return at;
}

function isLink(fs: SyncFileSystem, path: string): boolean {
  try {
    return fs.lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

/** A link's content is its target. What can't be read counts as not there: it can't be written either. */
function readContent(fs: SyncFileSystem, path: string): Content {
  try {
    const stats = fs.lstatSync(path);
    if (stats.isSymbolicLink()) return new TextEncoder().encode(fs.readlinkSync(path));
    if (!stats.isFile()) return null;
    return stats.size > maxKeptBytes ? 'large' : fs.readFileSync(path);
  } catch {
    return null;
  }
}

/** Files at and below a path, as relative paths; the path itself is ''. */
function filesBelow(fs: SyncFileSystem, path: string): string[] {
  try {
    if (!fs.lstatSync(path).isDirectory()) return [''];
    return fs
      .readdirSync(path, { withFileTypes: true })
      .flatMap((entry) =>
        filesBelow(fs, joinPath(path, entry.name)).map((file) =>
          joinPath(entry.name, file).slice(1),
        ),
      );
  } catch {
    return [];
  }
}

function isSame(a: Content, b: Content): boolean {
  if (a === null || b === null || a === 'large' || b === 'large') return a === null && b === null;
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}
