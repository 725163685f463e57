// Stats a path that may be missing. The error for a missing path suggests similar names in its
// directory.
import { editDistance } from '../../core/text/edit-distance.ts';
import { SdkError, ToolError, hasCode } from '../../core/errors.ts';
import { basename, dirname } from '../../core/path.ts';
import type { FileSystem, Stats } from './file-system.ts';

// 5: a short list. A directory may have thousands of similar names.
const maxSuggestions = 5;

/**
 * Same as `fs.stat`, but the error for a missing path suggests existing names.
 *
 * @throws ToolError `ENOENT`; every other error of the file system is passed on.
 */
export async function statExisting(
  fs: Pick<FileSystem, 'stat' | 'readdir' | 'readlink'>,
  path: string,
): Promise<Stats> {
  try {
    return await fs.stat(path);
  } catch (error) {
    if (!SdkError.isInstance(error) || (error.code !== 'ENOENT' && error.code !== 'ENOTDIR')) {
      throw error;
    }
    const message = await describeMissing(fs, path);
    throw new ToolError(message, { code: 'ENOENT', data: { path }, cause: error });
  }
}

/** Same as `fs.stat`, but undefined for a missing path. Every other error is passed on. */
export async function statIfThere(
  fs: Pick<FileSystem, 'stat'>,
  path: string,
): Promise<Stats | undefined> {
  try {
    return await fs.stat(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

async function describeMissing(
  fs: Pick<FileSystem, 'readdir' | 'readlink'>,
  path: string,
): Promise<string> {
  const target = await linkTarget(fs, path);
  if (target !== undefined) return `${path} is a link to ${target}, where nothing is.`;
  const names = await namesIn(fs, dirname(path));
  if (!names) {
    return `${path} doesn't exist, and neither does its directory. Use Glob to find the file.`;
  }
  const near = nearNames(basename(path), names);
  return near.length === 0
    ? `${path} doesn't exist. Use Glob to find the file.`
    : `${path} doesn't exist. In its directory there is: ${near.join(', ')}.`;
}

/** Returns the target of a dangling link, or undefined if the path isn't a link. */
async function linkTarget(
  fs: Pick<FileSystem, 'readlink'>,
  path: string,
): Promise<string | undefined> {
  try {
    return await fs.readlink(path);
  } catch (error) {
    if (SdkError.isInstance(error)) return undefined;
    throw error;
  }
}

/** Returns undefined if the directory doesn't exist, or if this call may not list it. */
async function namesIn(
  fs: Pick<FileSystem, 'readdir'>,
  directory: string,
): Promise<string[] | undefined> {
  try {
    return await fs.readdir(directory);
  } catch (error) {
    if (SdkError.isInstance(error)) return undefined;
    throw error;
  }
}

/**
 * Returns the names that are most similar to `name`, best first: another case, another extension,
 * or a few other letters.
 */
function nearNames(name: string, names: readonly string[]): string[] {
  const wanted = name.toLowerCase();
  // A third of the letters may differ. With more, short names would be similar to everything.
  const farthest = Math.max(1, Math.floor(wanted.length / 3));
  return names
    .map((candidate) => ({ candidate, distance: distanceOf(wanted, candidate.toLowerCase()) }))
    .filter(({ distance }) => distance <= farthest)
    .sort((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, maxSuggestions)
    .map(({ candidate }) => candidate);
}

/** Another extension (`app.js` for `app.ts`) is a likelier mistake than a wrong letter. */
function distanceOf(wanted: string, candidate: string): number {
  if (wanted === candidate) return 0;
  if (stemOf(wanted) === stemOf(candidate)) return 1;
  return editDistance(wanted, candidate);
}

function stemOf(name: string): string {
  // Searched from the second letter on, because the dot of `.gitignore` doesn't begin an extension.
  const at = name.indexOf('.', 1);
  return at === -1 ? name : name.slice(0, at);
}
