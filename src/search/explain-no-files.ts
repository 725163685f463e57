// Explains why a glob finds no file, for typical mistakes of models: the name of a directory, a name with brackets,
// and files in a directory that is ignored or a link. Called by Glob if it has found nothing.
import { toSearchGlob } from '../core/glob/search-glob.ts';
import { joinPath } from '../core/path.ts';

/** The port to the file list. Both methods count only files that the call may see. */
export interface FileQuestions {
  isDirectory(path: string): Promise<boolean>;
  /** How many files below a directory a glob finds. */
  count(directory: string, glob: string): Promise<number>;
}

/** A sentence that says what to search for instead. Undefined if no reason is known. */
export async function explainNoFiles(
  directory: string,
  glob: string,
  { isDirectory, count }: FileQuestions,
): Promise<string | undefined> {
  if (glob.startsWith('!')) return undefined;
  const special = glob.search(/[*?[{\\]/u);
  const plain = special === -1 ? glob : glob.slice(0, special);
  if (special === -1) {
    const named = joinPath(directory, glob.replace(/\/+$/u, ''));
    if (await isDirectory(named)) {
      return `${named} is a directory, and Glob finds files: give it as path, and "**" as pattern.`;
    }
  }
  const end = plain.lastIndexOf('/');
  const start = joinPath(directory, plain.slice(0, Math.max(end, 0)));
  if (start !== directory && (await isDirectory(start))) {
    const rest = glob.slice(end);
    const found = await count(start, rest);
    if (found > 0) {
      return `${start} isn't searched from above, as it is ignored or a link. There ${describe(found)}: give it as path, and ${JSON.stringify(rest)} as pattern.`;
    }
  }
  if (!/[[\]]/u.test(glob) || glob.includes('\\')) return undefined;
  const escaped = glob.replace(/[[\]]/gu, '\\$&');
  // A brace within the brackets makes it invalid.
  if (!toSearchGlob(escaped)) return undefined;
  const found = await count(directory, escaped);
  return found === 0
    ? undefined
    : `In a glob [ and ] stand for one character. Where they belong to the name, ${describe(found)}: write ${escaped}`;
}

function describe(found: number): string {
  return found === 1 ? '1 file fits' : `${found} files fit`;
}
