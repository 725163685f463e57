// Node's fs.glob. A leading dot must be matched explicitly. Links to directories aren't followed
// below `**`.
import type { Kernel } from '../kernel-type.ts';

interface GlobOptions {
  readonly cwd?: unknown;
  readonly exclude?: ((path: unknown) => unknown) | readonly string[];
  readonly withFileTypes?: boolean;
}

interface Entry {
  readonly name: string;
  isFile(): boolean;
  isDirectory(): boolean;
}

/** One part of a pattern: a literal name, an expression for names, or `**`. */
type Segment = string | RegExp;

/** Returns the functions for fs. */
export function addGlob(kernel: Kernel) {
  const { join, isAbsolute, basename } = kernel.path;

  /** Expands braces to all patterns that they stand for. */
  function expand(pattern: string): string[] {
    let depth = 0;
    const cuts: number[] = [];
    for (let at = 0; at < pattern.length; at += 1) {
      const char = pattern[at];
      if (char === '\\') at += 1;
      else if (char === '{') {
        depth += 1;
        if (depth === 1) cuts.push(at);
      } else if (char === ',' && depth === 1) cuts.push(at);
      else if (char === '}' && depth > 0) {
        depth -= 1;
        if (depth > 0) continue;
        cuts.push(at);
        // A brace without a comma is literal.
        if (cuts.length === 2)
          return expand(pattern.slice(at + 1)).map((rest) => pattern.slice(0, at + 1) + rest);
        const [head, tail] = [pattern.slice(0, cuts[0]), pattern.slice(at + 1)];
        return cuts
          .slice(1)
          .flatMap((cut, index) => expand(head + pattern.slice(cuts[index] + 1, cut) + tail));
      }
    }
    return [pattern];
  }

  function toSegment(text: string): Segment {
    if (text === '**' || !/[*?[\\]/.test(text)) return text;
    let source = '';
    for (let at = 0; at < text.length; at += 1) {
      const char = text[at];
      const [list] = char === '[' ? (/^\[[!^]?\]?[^\]]*\]/.exec(text.slice(at)) ?? []) : [];
      if (char === '*') source += '[^/]*';
      else if (char === '?') source += '[^/]';
      else if (list !== undefined) {
        const inner = list.slice(1, -1).replace(/^[!^]/, '');
        source += (/^\[[!^]/.test(list) ? '[^' : '[') + inner.replace(/[\\\]^[]/g, '\\$&') + ']';
        at += list.length - 1;
      } else {
        if (char === '\\') at += 1;
        source += (text[at] ?? '').replace(/[.+^$(){}|[\]\\*?/]/g, '\\$&');
      }
    }
    // A wildcard at the beginning doesn't match a dot.
    return new RegExp((/^[*?[]/.test(text) ? '^(?!\\.)' : '^') + source + '$');
  }
  const isMatch = (segment: Segment, name: string) =>
    typeof segment === 'string' ? segment === name : segment.test(name);
  const toSegments = (pattern: string) =>
    pattern
      .split('/')
      .filter(
        (text, at, all) =>
          (text !== '' && text !== '.') || (at > 0 && at === all.length - 1 && text === ''),
      )
      .map(toSegment);

  /** True if the pattern matches the whole path. */
  function matches(segments: readonly Segment[], names: readonly string[]): boolean {
    if (segments.length === 0) return names.length === 0;
    const [first, ...rest] = segments;
    if (first !== '**')
      return names.length > 0 && isMatch(first, names[0]) && matches(rest, names.slice(1));
    return matches(rest, names) || (names.length > 0 && matches(segments, names.slice(1)));
  }

  function find(pattern: unknown, options: GlobOptions = {}): unknown[] {
    const patterns: readonly unknown[] = Array.isArray(pattern) ? pattern : [pattern];
    for (const one of patterns)
      if (typeof one !== 'string')
        throw kernel.invalidType('patterns', 'of type string or an array of strings', one);
    const { cwd, exclude, withFileTypes } = options;
    const root = cwd === undefined ? kernel.cwd() : kernel.path.resolve(kernel.toPath(cwd));
    const fs = kernel.fs as unknown as Readonly<Record<string, Function>>;
    const excluded = Array.isArray(exclude)
      ? exclude.flatMap(expand).map((text) => toSegments(text))
      : [];
    const listed = new Map<string, Entry[]>();
    const toFull = (path: string) => (isAbsolute(path) ? path : join(root, path));
    function entriesOf(path: string): Entry[] {
      const known = listed.get(path);
      if (known) return known;
      let entries: Entry[] = [];
      try {
        entries = fs.readdirSync(toFull(path), { withFileTypes: true });
      } catch (error) {
        // As in Node, a directory that can't be listed counts as empty.
        if (!['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP'].includes(String((error as Error).code)))
          throw error;
      }
      listed.set(path, entries);
      return entries;
    }
    function isExcluded(path: string, entry?: Entry): boolean {
      if (typeof exclude !== 'function')
        return excluded.some((segments) =>
          matches(
            segments,
            path.split('/').filter((name) => name !== ''),
          ),
        );
      if (withFileTypes) return entry !== undefined && Boolean(exclude(entry));
      // Node passes the path in some cases and the name in others, so both are tried.
      return Boolean(exclude(path) || (basename(path) !== path && exclude(basename(path))));
    }
    const found = new Set<string>();
    const add = (path: string) => {
      if (!isExcluded(path)) found.add(path);
    };
    function walk(base: string, segments: readonly Segment[], at: number): void {
      const segment = segments[at];
      const isLast = at === segments.length - 1;
      // A slash at the end matches only directories.
      if (segment === '' && isLast) {
        if (entryType(base) === 'directory') add(base + '/');
        return;
      }
      if (segment === '**') {
        if (!isLast) walk(base, segments, at + 1);
        else if (base !== '' || segments.length === 1) add(base === '' ? '.' : base);
        for (const entry of entriesOf(base)) {
          const path = join(base, entry.name);
          if (entry.name.startsWith('.') || isExcluded(path, entry)) continue;
          if (entry.isDirectory()) walk(path, segments, at);
          else if (isLast) add(path);
        }
        return;
      }
      if (typeof segment === 'string') {
        const path = join(base, segment);
        if (isLast ? entryType(path) !== undefined : !isExcluded(path)) {
          if (isLast) add(path);
          else walk(path, segments, at + 1);
        }
        return;
      }
      for (const entry of entriesOf(base)) {
        if (!segment.test(entry.name)) continue;
        const path = join(base, entry.name);
        if (isExcluded(path, entry)) continue;
        if (isLast) add(path);
        else if (!entry.isFile()) walk(path, segments, at + 1);
      }
    }
    function entryType(path: string): 'file' | 'directory' | undefined {
      const stats = fs.lstatSync(toFull(path), { throwIfNoEntry: false });
      return stats === undefined ? undefined : stats.isDirectory() ? 'directory' : 'file';
    }
    for (const text of (patterns as string[]).flatMap(expand))
      walk(text.startsWith('/') ? '/' : '', toSegments(text), 0);
    if (!withFileTypes) return [...found];
    return [...found].map((path) => {
      const full = toFull(path);
      const parent = kernel.path.dirname(full);
      return fs
        .readdirSync(parent, { withFileTypes: true })
        .find(({ name }) => name === basename(full));
    });
  }
  return find;
}
