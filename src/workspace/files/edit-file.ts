// One change to a file's bytes; every operation that writes uses it. The target and the permission
// are checked before anything is read. The change lands whole or not at all.
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
  /** Permission bits of a file that is made. @defaultValue 0o644 */
  readonly mode?: number;
  readonly call: FsCall;
  /**
   * New bytes from those that are there (none where the file is made or cut); they go to the draft
   * for good. The same array changes nothing. Left out: opening alone.
   */
  readonly change?: (bytes: Uint8Array) => Uint8Array;
}

/** The bytes behind a content; a promise of them in the asynchronous face. */
type Load<Bytes> = (content: FileContent) => Bytes;

/**
 * What `open` checks, in its order, without doing it. A directory may be opened for reading.
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

/** Does it; the real path of the file. */
export function editFile(scope: FileScope, edit: FileEdit, load: Load<Uint8Array>): string {
  const target = locateForOpen(scope, edit.path, edit.flags, edit.call);
  const content = neededContent(edit, target);
  finish(scope, edit, target, content === undefined ? noBytes() : load(content));
  return target.path;
}

/** As {@link editFile}. It starts again if the file was written while its bytes were being read. */
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

/** Undefined where the change doesn't depend on what is there. */
function neededContent(edit: FileEdit, target: Location): FileContent | undefined {
  const isNeeded = edit.change !== undefined && !edit.flags.truncate;
  return isNeeded ? fileOf(target)?.content : undefined;
}

function finish(scope: FileScope, edit: FileEdit, target: Location, bytes: Uint8Array): void {
  const { flags, change, call } = edit;
  const file = fileOf(target);
  const changed = change ? change(bytes) : bytes;
  // A file that is only opened, or to which nothing was added, keeps its time too.
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
