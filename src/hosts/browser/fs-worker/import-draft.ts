// Applies one batch of an import to a draft. Files are put into their directories directly, and
// their bytes aren't copied. With the file system's operations, paths and copies took a third of an
// import's time. Everything else (links, directories, what is in the way) uses those operations.
import type { ChangeSet } from '../../../core/change-set.ts';
import { basename, dirname } from '../../../core/path.ts';
import { Draft } from '../../../workspace/draft/draft.ts';
import { openGate } from '../../../workspace/files/access.ts';
import { toMode, toTimeMs } from '../../../workspace/files/file-arguments.ts';
import { checkSize } from '../../../workspace/files/file-data.ts';
import {
  byteLengthExceeds,
  maxFileBytes,
  maxNameBytes,
} from '../../../workspace/files/file-limits.ts';
import type { SyncFileSystem } from '../../../workspace/files/file-system.ts';
import { createFsError } from '../../../workspace/files/fs-error.ts';
import { checkPath } from '../../../workspace/files/locate.ts';
import { createSyncFileSystem } from '../../../workspace/files/sync-file-system.ts';
import { TreeEditor } from '../../../workspace/tree/tree-editor.ts';
import { childPath, defaultFileMode } from '../../../workspace/tree/tree.ts';
import type { WriterPort } from '../../../workspace/commit/writer-port.ts';
import type { ImportEntry } from '../wire/protocol.ts';

/** The tree that is imported into, and what reads its contents. */
type ImportTarget = Pick<WriterPort, 'root' | 'seq' | 'contents'>;

/**
 * A file to be put into the tree. Fields that are left out stay as they are, or are as for any new
 * file.
 */
export type ImportedFile = Omit<Extract<ImportEntry, { readonly bytes: Uint8Array }>, 'path'>;

/**
 * Paths are absolute and normal, and stand for what they lead to: links in them are followed. The
 * page imports as its user, and rules don't bind a user. Methods throw what the file system throws.
 */
export class ImportDraft {
  readonly #draft: Draft;
  readonly #fs: SyncFileSystem;
  /** The tree, which is ahead of the draft: see {@link #operate}. */
  #tree: TreeEditor;
  /** The real paths of existing directories, by their paths as given. */
  readonly #directories = new Map<string, string>();

  constructor({ root, seq, contents }: ImportTarget) {
    this.#draft = new Draft(root, seq);
    this.#tree = new TreeEditor(root);
    const scope = { draft: this.#draft, cwd: '/', gate: openGate, now: Date.now };
    this.#fs = createSyncFileSystem(scope, contents);
  }

  /** Makes a directory and those above it. An existing one stays as it is. */
  makeDirectory(path: string): void {
    this.#enter(path);
  }

  /** Replaces what stands there, with all that is below it. */
  makeLink(path: string, target: string): void {
    this.#operate((fs) => {
      fs.mkdirSync(dirname(path), { recursive: true });
      fs.rmSync(path, { recursive: true, force: true });
      fs.symlinkSync(target, path);
    });
    // A link may stand by now where a directory was.
    this.#directories.clear();
  }

  /** Replaces a file's content. Ownership of the bytes passes to the draft: they must not change. */
  writeFile(path: string, file: ImportedFile): void {
    const call = { syscall: 'open', path };
    const name = basename(path);
    checkPath(path, call);
    if (byteLengthExceeds(name, maxNameBytes)) throw createFsError('ENAMETOOLONG', call);
    const place = childPath(this.#enter(dirname(path)), name);
    const before = this.#tree.get(place);
    if (before && before.kind !== 'file') {
      this.#writeThrough(path, file);
      return;
    }
    const { bytes, mode, mtimeMs } = file;
    checkSize(bytes.length, { limit: maxFileBytes, call });
    this.#tree.put(place, {
      kind: 'file',
      content: bytes,
      size: bytes.length,
      mode: toMode(mode, before?.mode ?? defaultFileMode, call) & 0o7777,
      mtimeMs: mtimeMs === undefined ? Date.now() : toTimeMs(new Date(mtimeMs), call),
      version: 0,
    });
  }

  /** All changes, or null if nothing changed. */
  changeSet(): ChangeSet | null {
    this.#draft.reset(this.#tree.root);
    return this.#draft.changeSet();
  }

  /** A link is followed, and a directory refused. */
  #writeThrough(path: string, { bytes, mode, mtimeMs }: ImportedFile): void {
    this.#operate((fs) => {
      fs.writeFileSync(path, bytes);
      if (mode !== undefined) fs.chmodSync(path, mode);
      if (mtimeMs !== undefined) fs.utimesSync(path, new Date(mtimeMs), new Date(mtimeMs));
    });
  }

  /** The real path of a directory, which is made where there is none. */
  #enter(path: string): string {
    const known = this.#directories.get(path);
    if (known !== undefined) return known;
    const real = this.#operate((fs) => {
      fs.mkdirSync(path, { recursive: true });
      return fs.realpathSync(path);
    });
    this.#directories.set(path, real);
    return real;
  }

  /**
   * Runs an operation of the file system. It sees the draft, so the draft is brought up to the tree
   * before, and the tree up to the draft afterwards.
   */
  #operate<Value>(run: (fs: SyncFileSystem) => Value): Value {
    this.#draft.reset(this.#tree.root);
    const value = run(this.#fs);
    this.#tree = new TreeEditor(this.#draft.root);
    return value;
  }
}
