// Barrels: modules of packages that only re-export others, as those of icons do. Whoever imports two of 1 800 icons
// needs two modules. Bundlers leave the others out where package.json says `sideEffects: false`, and so does this.
import type { Program } from 'acorn';
import { joinPath } from '../../core/path.ts';
import { isRecord } from '../../core/values/is-record.ts';
import { specifierName } from '../syntax/imports.ts';
import { CodeSyntaxError, parseCode } from '../syntax/parse.ts';
import type { ModuleFiles } from './module-resolver.ts';

/** Exported name → the statement that exports it alone. */
type Statements = ReadonlyMap<string, string>;

interface KnownBarrel {
  readonly text: string;
  readonly statements: Statements;
}

/** Remembers barrels by path. One is read again when its text has changed. */
export class Barrels {
  readonly #known = new Map<string, KnownBarrel>();

  /**
   * The path of a module that has these names of the barrel at `path`: that with `?only=` and the names. It is `path`
   * itself for any other module, and where a name isn't found in the barrel's own text.
   *
   * @param names separated by commas. With `*`, or without any, all of the module is needed.
   */
  narrow(files: ModuleFiles, path: string, names: string): string {
    if (!/^[\w$,]+$/u.test(names)) return path;
    const wanted = names.split(',');
    const manifest = manifestOf(path);
    if (manifest === undefined || !isFreeOfSideEffects(files, manifest)) return path;
    const statements = this.#statementsOf(files, path);
    const isWhole = !statements || !wanted.every((name) => statements.has(name));
    return isWhole ? path : `${path}?only=${wanted.toSorted().join(',')}`;
  }

  /** The text of a path that {@link narrow} has given; undefined for any other path. */
  read(files: ModuleFiles, path: string): string | undefined {
    const [, file, names] = narrowedPath.exec(path) ?? [];
    if (file === undefined || names === undefined) return undefined;
    const statements = this.#statementsOf(files, file);
    return names
      .split(',')
      .map((name) => statements?.get(name) ?? '')
      .join('\n');
  }

  #statementsOf(files: ModuleFiles, path: string): Statements | undefined {
    const text = files.readFileSync(path, 'utf8');
    const known = this.#known.get(path);
    if (known?.text === text) return known.statements;
    const statements = readStatements(text);
    if (statements) this.#known.set(path, { text, statements });
    return statements;
  }
}

const narrowedPath = /^(.+)\?only=([\w$,]+)$/u;

/** The file of a path, also of one that {@link Barrels.narrow} has given. */
export const fileOfModule = (path: string): string => narrowedPath.exec(path)?.[1] ?? path;

/** The package.json of an installed module. */
function manifestOf(path: string): string | undefined {
  const [, root] = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\/.*\.m?js$/u.exec(path) ?? [];
  return root === undefined ? undefined : joinPath(root, 'package.json');
}

/** Or only of those that its style sheets have. */
function isFreeOfSideEffects(files: ModuleFiles, manifest: string): boolean {
  if (!files.existsSync(manifest)) return false;
  const text = files.readFileSync(manifest, 'utf8');
  if (!text.includes('"sideEffects"')) return false;
  const value: unknown = JSON.parse(text);
  const sideEffects = isRecord(value) ? value['sideEffects'] : undefined;
  if (!Array.isArray(sideEffects)) return sideEffects === false;
  return sideEffects.every((glob) => /\.(?:css|s[ac]ss|less)$/u.test(String(glob)));
}

// Parsing is slow for a package in one large file, and any code but re-exports has one of these.
const code = /[=(`]/u;
const comments = /\/\*[^]*?\*\/|^\s*\/\/.*$/gmu;

function readStatements(text: string): Statements | undefined {
  if (code.test(text.replace(comments, ''))) return undefined;
  try {
    return toStatements(parseCode(text, 'module'));
  } catch (error) {
    // The whole module is loaded, and its error is reported.
    if (error instanceof CodeSyntaxError) return undefined;
    throw error;
  }
}

/** Undefined if the program has anything but re-exports. */
function toStatements({ body }: Program): Statements | undefined {
  const imported = new Map<string, readonly [name: string, from: string]>();
  const statements = new Map<string, string>();
  const add = (exported: string, name: string, from: string) =>
    statements.set(
      exported,
      name === '*'
        ? `export * as ${exported} from ${from};`
        : `export { ${name} as ${exported} } from ${from};`,
    );
  for (const node of body) {
    if (node.type !== 'ImportDeclaration') continue;
    for (const specifier of node.specifiers) {
      const isNamespace = specifier.type === 'ImportNamespaceSpecifier';
      const isDefault = specifier.type === 'ImportDefaultSpecifier';
      const name = isNamespace ? '*' : isDefault ? 'default' : specifierName(specifier.imported);
      imported.set(specifier.local.name, [name, JSON.stringify(node.source.value)]);
    }
  }
  for (const node of body) {
    const isDirective = node.type === 'ExpressionStatement' && node.directive !== undefined;
    if (node.type === 'ImportDeclaration' || node.type === 'EmptyStatement' || isDirective)
      continue;
    if (node.type === 'ExportAllDeclaration') {
      const from = JSON.stringify(node.source.value);
      if (node.exported) add(specifierName(node.exported), '*', from);
    } else if (node.type === 'ExportNamedDeclaration' && !node.declaration) {
      for (const specifier of node.specifiers) {
        const local = specifierName(specifier.local);
        const source = node.source ? JSON.stringify(node.source.value) : undefined;
        const [name, from] = source === undefined ? (imported.get(local) ?? []) : [local, source];
        if (name === undefined || from === undefined) return undefined;
        add(specifierName(specifier.exported), name, from);
      }
    } else return undefined;
  }
  return statements;
}
