// Reads path aliases from the config file of a bundler or test runner: `alias` (Vite, vitest) and
// `moduleNameMapper` (jest). The config isn't executed. Only string literals in it are used, such
// as 'src' in resolve(__dirname, 'src').
import { joinPath } from '../../core/path.ts';
import type { ModuleFiles } from './module-resolver.ts';

const configs = ['vitest.config', 'vite.config', 'jest.config'].flatMap((name) =>
  ['.ts', '.mts', '.js', '.mjs', '.cjs'].map((end) => name + end),
);

// Security: an unclosed string ends at the end of its line, and an unclosed comment at the end of
// the file. Otherwise the scan would start again at each opening mark and take quadratic time.
const text =
  /"(?:[^"\\\n]|\\[^])*\\?(?:"|(?=\n)|$)|'(?:[^'\\\n]|\\[^])*\\?(?:'|(?=\n)|$)|`(?:[^`\\]|\\[^])*\\?(?:`|$)/u
    .source;
const commentOrText = new RegExp(`(${text})|(?<!:)//[^\\n\\r]*|/\\*[^]*?(?:\\*/|$)`, 'gu');
const token = new RegExp(`${text}|[{}[\\]():,]|[^"'\`{}[\\]():,]+`, 'gu');

// 20: more than a project has. Security: for each list the rest of the file is scanned.
const maxLists = 20;
const maxConfigChars = 100_000;

type Aliases = ReadonlyMap<string, readonly string[]>;

/**
 * Cache: config path → its text and the aliases read from it. Each import asks for the aliases
 * again.
 */
const known = new WeakMap<ModuleFiles, Map<string, readonly [code: string, aliases: Aliases]>>();

/**
 * Maps a pattern to an absolute target. Each has at most one `*`. Returns an empty map if the
 * folder has no config file with aliases.
 */
export function readConfigAliases(files: ModuleFiles, folder: string): Aliases {
  const path = configs
    .map((name) => joinPath(folder, name))
    .find((config) => files.existsSync(config) && files.statSync(config).isFile());
  if (path === undefined) return new Map();
  const code = files.readFileSync(path, 'utf8');
  const made = known.get(files) ?? new Map();
  known.set(files, made);
  if (made.get(path)?.[0] !== code) made.set(path, [code, readAliases(code, folder)]);
  return made.get(path)?.[1] ?? new Map();
}

function readAliases(code: string, folder: string): Aliases {
  const found = new Map<string, readonly string[]>();
  if (code.length > maxConfigChars) return found;
  for (const [key, list] of findLists(code.replace(commentOrText, '$1'))) {
    const read = key === 'moduleNameMapper' ? readMapped : readAlias;
    const aliases = splitEntries(list).flatMap((entry) => read(entry, folder));
    for (const [pattern, target] of aliases) if (!found.has(pattern)) found.set(pattern, [target]);
  }
  return found;
}

type Tokens = readonly string[];

/** Finds each `alias` and `moduleNameMapper` list, and returns the tokens between its brackets. */
function findLists(code: string): [key: string, list: Tokens][] {
  const starts = [...code.matchAll(/\b(alias|moduleNameMapper)['"]?\s*:\s*[[{]/gu)];
  return starts.slice(0, maxLists).map(({ 0: head, 1: key = '', index }) => {
    const list: string[] = [];
    let depth = 1;
    for (const [part] of code.slice(index + head.length).matchAll(token)) {
      if (/^[{[(]$/u.test(part)) depth += 1;
      if (/^[}\])]$/u.test(part)) depth -= 1;
      if (depth === 0) break;
      list.push(part);
    }
    return [key, list];
  });
}

/** Splits the tokens of `a: b, c: d` into one list for each entry. */
function splitEntries(list: Tokens): Tokens[] {
  const entries: string[][] = [[]];
  let depth = 0;
  for (const part of list) {
    if (/^[{[(]$/u.test(part)) depth += 1;
    if (/^[}\])]$/u.test(part)) depth -= 1;
    if (part === ',' && depth === 0) entries.push([]);
    else entries.at(-1)?.push(part);
  }
  return entries.map((entry) => entry.filter((part) => part.trim() !== ''));
}

/** Reads an entry such as `'@': resolve(__dirname, 'src')` or `{ find: '@', replacement: … }`. */
function readAlias(entry: Tokens, folder: string): [pattern: string, target: string][] {
  let [key, value]: [string | undefined, Tokens] = [entry[0], entry.slice(2)];
  if (key === '{') {
    const fields = splitEntries(entry.slice(1, -1));
    const field = (name: string) =>
      fields.find(([first]) => unquoted(first ?? '') === name)?.slice(2) ?? [];
    [key] = field('find');
    if (key === undefined || !isText(key)) return [];
    value = field('replacement');
  }
  // A computed key can't be read without running the config.
  if (!isText(key ?? '') && !/^\s*[\w$]+\s*$/u.test(key ?? '')) return [];
  const find = unquoted(key ?? '').replace(/\/$/u, '');
  const texts = value.filter(isText).map(unquoted);
  const isBare = value.length === 1 && !/^[./]/u.test(texts[0] ?? '');
  // An alias for the name of another package isn't a path.
  if (find === '' || find.includes('*') || texts.length === 0 || isBare) return [];
  if (texts.some((one) => one.includes('${'))) return [];
  const target = joinPath(folder, ...texts);
  return [
    [find, target],
    [`${find}/*`, `${target}/*`],
  ];
}

/** Reads an entry of jest's `moduleNameMapper`, such as `'^@/(.*)$': '<rootDir>/src/$1'`. */
function readMapped(entry: Tokens, folder: string): [pattern: string, target: string][] {
  const [key = '', , value = ''] = entry;
  if (entry.length !== 3 || !isText(key) || !isText(value)) return [];
  const pattern = unquoted(key)
    .replace(/^\^|\$$/gu, '')
    .replace('(.*)', '*')
    .replaceAll(/\\+(?=[/@#~.-])/gu, '');
  const target = unquoted(value).replace('$1', '*');
  if (/[\\()[\]|+?^$]/u.test(pattern) || !/^(?:<rootDir>|[./])/u.test(target)) return [];
  return [[pattern, joinPath(folder, target.replace('<rootDir>', '.'))]];
}

const isText = (part: string) => /^["'`]/u.test(part);
const unquoted = (part: string) => (isText(part) ? part.slice(1, -1) : part.trim());
