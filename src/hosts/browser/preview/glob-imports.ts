// `import.meta.glob` of Vite, which code has instead of an import for each file. The calls are replaced by these
// imports, so nothing is left for the page to do.
import type { AnyNode } from 'acorn';
import { compilePathGlob, getGlobDirectory } from '../../../core/glob/path-glob.ts';
import { SdkError } from '../../../core/errors.ts';
import { dirname, joinPath, relativePath, resolvePath } from '../../../core/path.ts';
import { parseCode } from '../../../repl/syntax/parse.ts';
import type { AppFiles } from './app-files.ts';

const call = /\bimport\.meta\.glob\s*(?:<[^<>()]*(?:<[^<>()]*>[^<>()]*)?>\s*)?\(/gu;
const inCall =
  /\/\*[^]*?(?:\*\/|$)|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`|[()]/gu;

/** @throws SdkError `invalid-input` for a call whose arguments aren't written out */
export async function replaceGlobs(files: AppFiles, text: string, path: string): Promise<string> {
  if (!text.includes('import.meta.glob')) return text;
  const imports: string[] = [];
  const parts: string[] = [];
  let at = 0;
  for (const { 0: head, index } of text.matchAll(call)) {
    const start = index + head.length;
    const end = findEnd(text, start);
    if (index < at || end === undefined) continue;
    const wanted = readCall(text.slice(start, end), path);
    // As in a comment, or in a text.
    if (!wanted) continue;
    const found = await findFiles(files, wanted.patterns, path);
    parts.push(text.slice(at, index), toObject(found, wanted, imports));
    // What follows keeps its line.
    parts.push(text.slice(index, end).replaceAll(/[^\n]+/gu, ''));
    at = end + 1;
  }
  return `${imports.join('')}${parts.join('')}${text.slice(at)}`;
}

interface GlobCall {
  readonly patterns: readonly string[];
  readonly eager: boolean;
  readonly named: string | undefined;
  readonly query: string;
}

function findEnd(text: string, start: number): number | undefined {
  let depth = 1;
  for (const { 0: mark, index } of text.slice(start).matchAll(inCall)) {
    if (mark === '(') depth += 1;
    else if (mark === ')') depth -= 1;
    if (depth === 0) return start + index;
  }
  return undefined;
}

function readCall(text: string, path: string): GlobCall | undefined {
  let given: readonly unknown[];
  try {
    const [statement] = parseCode(`[${text}]`, 'script').body;
    given = toValue((statement as { expression: AnyNode }).expression) as readonly unknown[];
  } catch (error) {
    if (error !== notWritten) return undefined;
    throw new SdkError(
      'invalid-input',
      `import.meta.glob takes texts that are written out, not values of code (in ${path}).`,
    );
  }
  const [patterns, options = {}] = given as [string | string[], Record<string, unknown>?];
  const { eager, import: named, query, as } = options;
  const asked = query ?? (as === undefined ? '' : `?${String(as)}`);
  return {
    patterns: [patterns].flat(),
    eager: eager === true,
    named: typeof named === 'string' ? named : as === undefined ? undefined : 'default',
    query: typeof asked === 'string' ? asked.replace(/^(?!\?|$)/u, '?') : '',
  };
}

const notWritten = new Error('This is no literal.');

function toValue(node: AnyNode | null): unknown {
  if (node?.type === 'Literal') return node.value;
  if (node?.type === 'TemplateLiteral' && node.expressions.length === 0) {
    return node.quasis[0]?.value.cooked;
  }
  if (node?.type === 'ArrayExpression') return node.elements.map(toValue);
  if (node?.type !== 'ObjectExpression') throw notWritten;
  return Object.fromEntries(
    node.properties.map((property) => {
      if (property.type !== 'Property' || property.computed) throw notWritten;
      const { key, value } = property;
      return [key.type === 'Identifier' ? key.name : String(toValue(key)), toValue(value)];
    }),
  );
}

// 5 000: a folder of icons has some thousands.
const maxFiles = 5_000;

/** The specifier of each file, in the order of their names. */
async function findFiles(
  files: AppFiles,
  patterns: readonly string[],
  importer: string,
): Promise<readonly string[]> {
  const from = dirname(importer);
  const found = new Map<string, string>();
  let seen = 0;
  const toGlob = (pattern: string) => {
    if (pattern.startsWith('/')) return joinPath(files.root, pattern);
    if (/^\.{1,2}\//u.test(pattern)) return resolvePath(from, pattern);
    throw new SdkError(
      'invalid-input',
      `import.meta.glob('${pattern}') in ${importer} isn't understood: a pattern begins with ./, ../ or /.`,
    );
  };
  const without = patterns
    .filter((pattern) => pattern.startsWith('!'))
    .map((pattern) => compilePathGlob('/', toGlob(pattern.slice(1))));
  for (const pattern of patterns.filter((one) => !one.startsWith('!'))) {
    const glob = toGlob(pattern);
    const { test } = compilePathGlob('/', glob);
    await look(getGlobDirectory('/', glob) || '/', (path) => {
      if (path === importer || !test(path) || without.some((one) => one.test(path))) return;
      const specifier = pattern.startsWith('/')
        ? path.slice(files.root === '/' ? 0 : files.root.length)
        : toRelative(from, path);
      found.set(path, specifier);
    });
  }
  return [...found].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, specifier]) => specifier);

  async function look(folder: string, take: (path: string) => void): Promise<void> {
    for (const name of await files.list(folder)) {
      if (name === 'node_modules' || name.startsWith('.')) continue;
      seen += 1;
      if (seen > maxFiles) {
        throw new SdkError(
          'limit-exceeded',
          `import.meta.glob in ${importer} looks through more than ${maxFiles} files. Name a smaller folder.`,
        );
      }
      const path = joinPath(folder, name);
      const kind = await files.kindOf(path);
      if (kind === 'directory') await look(path, take);
      else if (kind === 'file') take(path);
    }
  }
}

/** As in a specifier, it begins with a dot. */
function toRelative(from: string, path: string): string {
  return relativePath(from, path).replace(/^(?!\.)/u, './');
}

function toObject(
  specifiers: readonly string[],
  { eager, named, query }: GlobCall,
  imports: string[],
): string {
  const entries = specifiers.map((specifier) => {
    const source = JSON.stringify(specifier + query);
    const name = JSON.stringify(named);
    if (eager) {
      const local = `__glob${imports.length}`;
      const taken =
        named === undefined || named === '*' ? `* as ${local}` : `{${name} as ${local}}`;
      imports.push(`import ${taken} from ${source};`);
      return `${JSON.stringify(specifier)}:${local}`;
    }
    const pick = named === undefined || named === '*' ? '' : `.then((module)=>module[${name}])`;
    return `${JSON.stringify(specifier)}:()=>import(${source})${pick}`;
  });
  return `({${entries.join(',')}})`;
}
