// Which paths a walk leaves out, as ripgrep decides it: `.rgignore` beats `.ignore` beats
// `.gitignore` beats `.git/info/exclude`; among files of one kind the deeper directory decides.
import ignore from 'ignore';
import { basename } from '../../core/path.ts';

export type IgnoreVerdict = 'ignored' | 'unignored' | 'none';

/** The kinds in the order of their weight, with the file's place in its directory. */
export const ignoreFileKinds = [
  { kind: 'rgignore', file: '.rgignore' },
  { kind: 'ignore', file: '.ignore' },
  { kind: 'gitignore', file: '.gitignore' },
  { kind: 'exclude', file: '.git/info/exclude' },
] as const;

export type IgnoreFileKind = (typeof ignoreFileKinds)[number]['kind'];

interface IgnoreFile {
  readonly kind: IgnoreFileKind;
  /** The directory that it stands in. Its patterns are relative to it. */
  readonly directory: string;
  readonly text: string;
  readonly matcher: ReturnType<typeof ignore>;
  /** Directories below that were entered although this file says no: given, or let in by another. */
  readonly entered: readonly string[];
}

/** The rules in force in one directory. Immutable: each directory of a walk has its own. */
export class IgnoreRules {
  /** Deepest directory first. */
  readonly #files: readonly IgnoreFile[];

  private constructor(files: readonly IgnoreFile[]) {
    this.#files = files;
  }

  static readonly none = new IgnoreRules([]);

  /**
   * The rules inside `directory`, which the walk enters. Call it for each directory on the way
   * down, with the texts of the ignore files that stand there.
   */
  enter(
    directory: string,
    texts: ReadonlyMap<IgnoreFileKind, string>,
    isRepository: boolean,
  ): IgnoreRules {
    const inherited = this.#files
      // A repository's git rules end at its own root; the others go on upwards.
      .filter(({ kind }) => !isRepository || (kind !== 'gitignore' && kind !== 'exclude'))
      .map((file) => admit(file, directory));
    const own = [...texts].map(([kind, text]) => createIgnoreFile(kind, directory, text, []));
    return new IgnoreRules([...own, ...inherited]);
  }

  /** The verdict on a path directly in the directory of these rules. */
  verdict(path: string, isDirectory: boolean): IgnoreVerdict {
    for (const { kind } of ignoreFileKinds) {
      for (const file of this.#files) {
        if (file.kind !== kind) continue;
        const verdict = test(file, path, isDirectory);
        if (verdict !== 'none') return verdict;
      }
    }
    return 'none';
  }
}

function createIgnoreFile(
  kind: IgnoreFileKind,
  directory: string,
  text: string,
  entered: readonly string[],
): IgnoreFile {
  // `ignore` applies a directory's verdict to all below it; ripgrep judges each path by itself. The
  // two agree once every directory that is entered anyway is let in by a last rule of its own.
  const matcher = ignore({ ignorecase: false, allowRelativePaths: true })
    .add(text)
    .add(entered.map((path) => `!/${escapePattern(relativeTo(directory, path))}/`));
  return { kind, directory, text, matcher, entered };
}

function admit(file: IgnoreFile, directory: string): IgnoreFile {
  if (test(file, directory, true) !== 'ignored') return file;
  return createIgnoreFile(file.kind, file.directory, file.text, [...file.entered, directory]);
}

function test(file: IgnoreFile, path: string, isDirectory: boolean): IgnoreVerdict {
  const relative = relativeTo(file.directory, path);
  const { ignored, unignored } = file.matcher.test(isDirectory ? `${relative}/` : relative);
  return ignored ? 'ignored' : unignored ? 'unignored' : 'none';
}

function relativeTo(directory: string, path: string): string {
  return directory === '/' ? path.slice(1) : path.slice(directory.length + 1);
}

function escapePattern(path: string): string {
  return path.replace(/[\\*?[\] ]/gu, '\\$&');
}

/** A name that begins with a dot. */
export function isHiddenName(path: string): boolean {
  return basename(path).startsWith('.');
}
