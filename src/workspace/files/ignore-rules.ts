// Decides which paths a walk leaves out, as ripgrep does. `.rgignore` overrides `.ignore`, which
// overrides `.gitignore`, which overrides `.git/info/exclude`. Among files of one kind, the one in
// the deeper directory decides.
import { basename } from '../../core/path.ts';
import { findMatch, toSearchGlob, type SearchGlob } from '../../core/glob/search-glob.ts';

export type IgnoreVerdict = 'ignored' | 'unignored' | 'none';

/** The kinds in order of precedence, with the file's place in its directory. */
export const ignoreFileKinds = [
  { kind: 'rgignore', file: '.rgignore' },
  { kind: 'ignore', file: '.ignore' },
  { kind: 'gitignore', file: '.gitignore' },
  { kind: 'exclude', file: '.git/info/exclude' },
] as const;

export type IgnoreFileKind = (typeof ignoreFileKinds)[number]['kind'];

interface IgnoreFile {
  readonly kind: IgnoreFileKind;
  /** The directory that contains the file. Its patterns are relative to it. */
  readonly directory: string;
  /** In reverse order: the last line first. */
  readonly globs: readonly SearchGlob[];
}

/** The rules in effect in one directory. Immutable: each directory of a walk has its own. */
export class IgnoreRules {
  /** Ordered by precedence. Within one kind, the deepest directory first. */
  readonly #files: readonly IgnoreFile[];

  private constructor(files: readonly IgnoreFile[]) {
    this.#files = files;
  }

  static readonly none = new IgnoreRules([]);

  /**
   * Returns the rules inside `directory`. Call it for each directory on the way down, with the
   * texts of its ignore files.
   */
  enter(
    directory: string,
    texts: ReadonlyMap<IgnoreFileKind, string>,
    isRepository: boolean,
  ): IgnoreRules {
    const inherited = this.#files
      // Git's rules end at the repository's root. The others continue upwards.
      .filter(({ kind }) => !isRepository || (kind !== 'gitignore' && kind !== 'exclude'));
    const own = [...texts].map(([kind, text]) => ({ kind, directory, globs: toGlobs(text) }));
    if (own.length === 0 && inherited.length === this.#files.length) return this;
    const all = [...own, ...inherited];
    return new IgnoreRules(
      ignoreFileKinds.flatMap(({ kind }) => all.filter((file) => file.kind === kind)),
    );
  }

  /**
   * Returns the verdict on a direct entry of the rules' directory. `checkTime` is called where
   * matching may take long, and may throw to end it.
   */
  verdict(path: string, isDirectory: boolean, checkTime: () => void): IgnoreVerdict {
    for (const { directory, globs } of this.#files) {
      const relative = path.slice(directory === '/' ? 1 : directory.length + 1);
      const glob = findMatch(globs, relative, isDirectory, checkTime);
      if (glob) return glob.isNegated ? 'unignored' : 'ignored';
    }
    return 'none';
  }
}

/** Parses the globs of an ignore file. As in ripgrep, lines that can't be parsed are skipped. */
function toGlobs(text: string): SearchGlob[] {
  const globs: SearchGlob[] = [];
  for (const line of text.split('\n')) {
    // A trailing blank only counts behind a backslash.
    const pattern = line.endsWith('\\ ') ? line : line.trimEnd();
    if (pattern === '' || pattern === '!' || pattern.startsWith('#')) continue;
    const glob = toSearchGlob(pattern);
    if (glob) globs.unshift(glob);
  }
  return globs;
}

/** True for a name that begins with a dot. */
export function isHiddenName(path: string): boolean {
  return basename(path).startsWith('.');
}
