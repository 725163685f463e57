// Applies one change to a file's bytes. Every writing operation uses it. The target and the
// permission are checked before anything is read. The change takes effect as a whole or not at all.
import type { FileContent, FileNode } from '../tree/tree.ts';
import { defaultFileMode } from '../tree/tree.ts';
import type { FsCall } from './access.ts';
import { checkSize } from './file-data.ts';
import { maxFileBytes } from './file-limits.ts';
import { createFsError } from './fs-error.ts';
import type { Location } from './locate.ts';
import type { OpenFlags } from './open-flags.ts';
import { locateIn } from './read-operations.ts';
import type { FileScope } from './read-operations.ts';

/** A change to one file. */
export interface FileEdit {
  readonly path: string;
  readonly flags: OpenFlags;
  /** Permission bits of a new file. @defaultValue 0o644 */
  readonly mode?: number;
  readonly call: FsCall;
  /**
   * Returns the new bytes from the existing ones, which are empty if the file is new or truncated.
   * The draft owns the result. Returning the same array means no change. Left out: the file is only
   * opened.
   */
  readonly change?: (bytes: Uint8Array) => Uint8Array;
}

/** Loads the bytes of a content; the asynchronous interface returns a promise. */
type Load<Bytes> = (content: FileContent) => Bytes;

/**
 * Makes the checks of `open` in its order, without opening. A directory may be opened for reading.
 *
 * @throws SdkError `EEXIST`, `ENOENT`, `EISDIR`, and what the gate refuses.
 */
export function locateForOpen(
  scope: FileScope,
  path: string,
  flags: OpenFlags,
  call: FsCall,
): Location {
  const location = locateIn(scope, path, {
    follow: !flags.exclusive,
    makesFile: flags.create,
    call,
  });
  const { node } = location;
  if (node && flags.exclusive) throw createFsError('EEXIST', call);
  if (!node && !flags.create) throw createFsError('ENOENT', call);
  if (node?.kind === 'directory' && flags.write) throw createFsError('EISDIR', call);
  if (flags.write) scope.gate.requireWrite(location.path, call);
  if (flags.read && node?.kind === 'file') scope.gate.requireRead(location.path, call);
  return location;
}

/** Applies the edit and returns the file's real path. */
export function editFile(scope: FileScope, edit: FileEdit, load: Load<Uint8Array>): string {
  const target = locateForOpen(scope, edit.path, edit.flags, edit.call);
  const content = neededContent(edit, target);
  finish(scope, edit, target, content === undefined ? noBytes() : load(content));
  return target.path;
}

/**
 * Same as {@link editFile}. Starts again if the file was written while its bytes were being read.
 */
export async function editFileLater(
  scope: FileScope,
  edit: FileEdit,
  load: Load<Promise<Uint8Array>>,
): Promise<string> {
  for (;;) {
    const target = locateForOpen(scope, edit.path, edit.flags, edit.call);
    const content = neededContent(edit, target);
    const bytes = content === undefined ? noBytes() : await load(content);
    if (content !== undefined) {
      const again = locateForOpen(scope, edit.path, edit.flags, edit.call);
      if (again.path !== target.path || neededContent(edit, again) !== content) continue;
    }
    finish(scope, edit, target, bytes);
    return target.path;
  }
}

/** Returns undefined if the change doesn't depend on existing content. */
function neededContent(edit: FileEdit, target: Location): FileContent | undefined {
  const isNeeded = edit.change !== undefined && !edit.flags.truncate;
  return isNeeded ? fileOf(target)?.content : undefined;
}

function finish(scope: FileScope, edit: FileEdit, target: Location, bytes: Uint8Array): void {
  const { flags, change, call } = edit;
  const file = fileOf(target);
  const changed = change ? change(bytes) : bytes;
  // A file that was only opened, or to which nothing was added, keeps its modification time.
  if (file && !flags.truncate && changed === bytes) return;
  if (!flags.write) return;
  checkSize(changed.length, { limit: scope.maxFileBytes ?? maxFileBytes, call });
  scope.draft.put(target.path, {
    kind: 'file',
    content: changed,
    size: changed.length,
    mode: file?.mode ?? edit.mode ?? defaultFileMode,
    mtimeMs: scope.now(),
    version: 0,
  });
}

function fileOf({ node }: Location): FileNode | undefined {
  return node?.kind === 'file' ? node : undefined;
}

function noBytes(): Uint8Array {
  return new Uint8Array(0);
}
