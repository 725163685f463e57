// Applies one batch of an import to a draft. Files are put into their directories directly, without
// copying their bytes, because paths and copies took a third of an import's time. Everything else
// (links, directories, existing nodes in the way) uses the file system's operations.
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

/** The tree to import into, and the source of its contents. */
type ImportTarget = Pick<WriterPort, 'root' | 'seq' | 'contents'>;

/**
 * A file to put into the tree. Omitted fields stay as they are, or get the defaults of a new file.
 */
export type ImportedFile = Omit<Extract<ImportEntry, { readonly bytes: Uint8Array }>, 'path'>;

/**
 * Paths are absolute and normalized, and links in them are followed. Imports act as the user, to
 * whom rules don't apply. Methods throw what the file system throws.
 */
export class ImportDraft {
  readonly #draft: Draft;
  readonly #fs: SyncFileSystem;
  /** The tree, which may be ahead of the draft: see {@link #operate}. */
  #tree: TreeEditor;
  /** The real paths of existing directories, by their paths as given. */
  readonly #directories = new Map<string, string>();

  constructor({ root, seq, contents }: ImportTarget) {
    this.#draft = new Draft(root, seq);
    this.#tree = new TreeEditor(root);
    const scope = { draft: this.#draft, cwd: '/', gate: openGate, now: Date.now };
    this.#fs = createSyncFileSystem(scope, contents);
  }

  /** Creates a directory and its parents. An existing one isn't changed. */
  makeDirectory(path: string): void {
    this.#enter(path);
  }

  /** Replaces the node at the path, with everything below it. */
  makeLink(path: string, target: string): void {
    this.#operate((fs) => {
      fs.mkdirSync(dirname(path), { recursive: true });
      fs.rmSync(path, { recursive: true, force: true });
      fs.symlinkSync(target, path);
    });
    // A directory may have been replaced by a link.
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

  /** Follows a link. Refuses a directory. */
  #writeThrough(path: string, { bytes, mode, mtimeMs }: ImportedFile): void {
    this.#operate((fs) => {
      fs.writeFileSync(path, bytes);
      if (mode !== undefined) fs.chmodSync(path, mode);
      if (mtimeMs !== undefined) fs.utimesSync(path, new Date(mtimeMs), new Date(mtimeMs));
    });
  }

  /** Returns the real path of a directory, which is created if missing. */
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
   * Runs an operation of the file system. The operation works on the draft, so the draft is updated
   * from the tree before it, and the tree from the draft afterwards.
   */
  #operate<Value>(run: (fs: SyncFileSystem) => Value): Value {
    this.#draft.reset(this.#tree.root);
    const value = run(this.#fs);
    this.#tree = new TreeEditor(this.#draft.root);
    return value;
  }
}
