// Attributes in `.gitattributes` that affect the merge of a file: `merge=union`, `-merge`, `binary`
// and `conflict-marker-size`. merge-content.ts reads them for each file that both sides changed.
import { findMatch, toSearchGlob, type SearchGlob } from '../../core/glob/search-glob.ts';
import type { Oid } from './git.ts';
import type { Repository } from './repository.ts';
import { entryAt } from './trees.ts';

/** `union` takes the lines of both sides without markers. `binary` is always a conflict. */
export type MergeDriver = 'text' | 'union' | 'binary';

interface Line {
  readonly glob: SearchGlob;
  /**
   * Values by name: a string, `true` for a name alone, `false` with a minus, and null for an
   * attribute that is reset.
   */
  readonly attributes: ReadonlyMap<string, string | boolean | null>;
}

// 7: git's default.
const markerLength = 7;
// 1 000: longer markers would blow up a small file.
const maxMarkerLength = 1000;

/** Reads the attributes committed in a tree, and the repository's own in `info/attributes`. */
export class MergeAttributes {
  readonly #repository: Repository;
  readonly #tree: Oid;
  readonly #known = new Map<string, readonly Line[]>();

  constructor(repository: Repository, tree: Oid) {
    this.#repository = repository;
    this.#tree = tree;
  }

  /**
   * Drivers defined in the config are programs, which can't run here. Such a file is merged as
   * text.
   */
  driverOf(path: string): MergeDriver {
    const value = this.#find(path, 'merge');
    if (value === false || value === 'binary') return 'binary';
    return value === 'union' ? 'union' : 'text';
  }

  markerLengthOf(path: string): number {
    const value = this.#find(path, 'conflict-marker-size');
    const length = typeof value === 'string' ? Number.parseInt(value, 10) : 0;
    return length > 0 && length <= maxMarkerLength ? length : markerLength;
  }

  /**
   * The repository's own file decides first, then those of the deepest directory. Within a file,
   * the last line decides.
   */
  #find(path: string, name: string): string | boolean | null | undefined {
    const own = find(this.#own(), path, name);
    if (own !== undefined) return own;
    for (let end = path.lastIndexOf('/'); ; end = path.lastIndexOf('/', end - 1)) {
      const found = find(this.#linesIn(path.slice(0, Math.max(0, end))), path.slice(end + 1), name);
      if (found !== undefined || end <= 0) return found;
    }
  }

  #own(): readonly Line[] {
    const { files, commonDirectory } = this.#repository;
    const path = `${commonDirectory}/info/attributes`;
    return this.#keep('/', () =>
      files.sync.existsSync(path) ? files.sync.readFileSync(path, 'utf8') : '',
    );
  }

  #linesIn(directory: string): readonly Line[] {
    const path = directory === '' ? '.gitattributes' : `${directory}/.gitattributes`;
    return this.#keep(directory, () => {
      const entry = entryAt(this.#repository, this.#tree, path);
      // Only a regular file counts, not a link.
      if (!entry || entry.mode >> 12 !== 8) return '';
      return new TextDecoder().decode(this.#repository.objects.readAs(entry.oid, 'blob'));
    });
  }

  #keep(key: string, read: () => string): readonly Line[] {
    let lines = this.#known.get(key);
    if (!lines) this.#known.set(key, (lines = parse(read())));
    return lines;
  }
}

/** Returns the lines in reverse order. */
function parse(text: string): Line[] {
  return text
    .split('\n')
    .flatMap((line) => {
      const [pattern = '', ...words] = line.trim().split(/\s+/u);
      // Custom macros aren't supported, and this file has no exceptions.
      if (pattern === '' || /^(?:#|!|\[attr\])/u.test(pattern)) return [];
      // As in git, lines that can't be parsed are skipped.
      const glob = toSearchGlob(pattern);
      return glob ? [{ glob, attributes: new Map(words.flatMap(toAttributes)) }] : [];
    })
    .reverse();
}

function toAttributes(word: string): (readonly [string, string | boolean | null])[] {
  // Git's only built-in macro.
  if (word === 'binary') return [['merge', false]];
  if (word.startsWith('-')) return [[word.slice(1), false]];
  if (word.startsWith('!')) return [[word.slice(1), null]];
  const at = word.indexOf('=');
  return [at === -1 ? [word, true] : [word.slice(0, at), word.slice(at + 1)]];
}

function find(lines: readonly Line[], path: string, name: string) {
  const set = lines.filter(({ attributes }) => attributes.has(name));
  const glob = findMatch(
    set.map((line) => line.glob),
    path,
    false,
    () => {},
  );
  return set.find((line) => line.glob === glob)?.attributes.get(name);
}
