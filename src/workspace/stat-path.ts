// Files that may not be there: what to tell someone who named one, and which names in its directory
// look like the one that was meant.
import { SdkError, ToolError } from '../core/errors.ts';
import { basename, dirname } from '../core/path.ts';
import type { FileSystem, Stats } from './file-system.ts';

const maxSuggestions = 5;

/**
 * `fs.stat`, but a path that isn't there fails with a sentence that suggests names which are.
 *
 * @throws ToolError `ENOENT`; every other error of the file system as it is.
 */
export async function statExisting(
  fs: Pick<FileSystem, 'stat' | 'readdir'>,
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

/** `fs.stat`, or undefined where nothing is. Every other error of the file system as it is. */
export async function statIfThere(
  fs: Pick<FileSystem, 'stat'>,
  path: string,
): Promise<Stats | undefined> {
  try {
    return await fs.stat(path);
  } catch (error) {
    if (SdkError.isInstance(error) && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

async function describeMissing(fs: Pick<FileSystem, 'readdir'>, path: string): Promise<string> {
  const names = await namesIn(fs, dirname(path));
  if (!names) {
    return `${path} doesn't exist, and neither does its directory. Use Glob to find the file.`;
  }
  const near = nearNames(basename(path), names);
  return near.length === 0
    ? `${path} doesn't exist. Use Glob to find the file.`
    : `${path} doesn't exist. In its directory there is: ${near.join(', ')}.`;
}

/** Undefined where there is no such directory, or none that this call may list. */
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

/** The names most like `name`, best first: other case, other ending, a few other letters. */
export function nearNames(name: string, names: readonly string[]): string[] {
  const wanted = name.toLowerCase();
  // A third of the letters may differ: more, and short names resemble everything.
  const farthest = Math.max(1, Math.floor(wanted.length / 3));
  return names
    .map((candidate) => ({ candidate, distance: distanceOf(wanted, candidate.toLowerCase()) }))
    .filter(({ distance }) => distance <= farthest)
    .sort((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, maxSuggestions)
    .map(({ candidate }) => candidate);
}

function distanceOf(wanted: string, candidate: string): number {
  if (wanted === candidate) return 0;
  if (stemOf(wanted) === stemOf(candidate)) return 1;
  return editDistance(wanted, candidate);
}

function stemOf(name: string): string {
  const at = name.indexOf('.', 1);
  return at === -1 ? name : name.slice(0, at);
}

/** Levenshtein's distance, one row at a time. */
function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const substituted = (previous[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
      current.push(
        Math.min(substituted, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1),
      );
    }
    previous = current;
  }
  return previous[to.length] ?? 0;
}
