// Finds a path for the source's version of a file if both sides have changed it and the merge has
// conflicts.
import { basename, dirname, extname, joinPath } from '../../core/path.ts';
import { clipText } from '../../core/text/clip-text.ts';
import { byteLengthExceeds, maxNameBytes } from '../files/file-limits.ts';
import type { Workspace } from '../workspace.ts';

/**
 * A free path for it, absolute: `notes (from disk).md` beside `notes.md`, or in the nearest directory above that is
 * still there. It has the source's name, without what no file's name can have. Where the name would be too long, the
 * file's own part of it is cut.
 */
export async function findAsidePath(
  workspace: Workspace,
  path: string,
  sourceName: string,
): Promise<string> {
  let directory = dirname(path);
  while (directory !== '/') {
    const [state] = await workspace.lookUp([directory]);
    if (state?.kind === 'directory') break;
    directory = dirname(directory);
  }
  const ending = extname(path);
  // A longer one is no extension, and would leave no room for the rest.
  const suffix = ending.length > 32 ? '' : ending;
  const stem = basename(path).slice(0, basename(path).length - suffix.length);
  // Names of sources are a person's words; 40 characters of them tell which one is meant.
  const from = clipText(sourceName.replace(/[^\p{L}\p{N} ._-]/gu, ''), 40) || 'outside';
  for (let count = 1; ; count += 1) {
    const number = count === 1 ? '' : ` ${count}`;
    const candidate = joinPath(directory, fitName(stem, ` (from ${from})${number}${suffix}`));
    const [state] = await workspace.lookUp([candidate]);
    if (!state) return candidate;
  }
}

/** The two together, the first of them as much as a name has room for. */
function fitName(stem: string, rest: string): string {
  let kept = stem;
  while (kept !== '' && byteLengthExceeds(kept + rest, maxNameBytes)) {
    kept = clipText(kept, kept.length - 1);
  }
  return kept + rest;
}
