/**
 * Reports what the package exports, by subpath: each name with its declaration, without comments and
 * sorted by name. `docs/api` holds the reports, so that a change of the API is a line of a diff.
 */
import { join, sep } from 'node:path';
import { format } from 'prettier';
import ts from 'typescript';

/** One subpath of the package. */
export interface ApiEntry {
  /** As an import names it: `rockpool/edge`. */
  readonly specifier: string;
  /** Its declarations' file below the folder of all declarations, without `.d.ts`. */
  readonly name: string;
}

/** The subpaths that are TypeScript modules of ours. Others are a stylesheet and the engine's bytes. */
export function listApiEntries(manifest: {
  readonly name: string;
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
}): ApiEntry[] {
  return Object.entries(manifest.exports).flatMap(([subpath, target]) => {
    const source = typeof target === 'string' ? '' : (target['rockpool-source'] ?? '');
    const [, name] = /^\.\/src\/([\w-]+)\.ts$/.exec(source) ?? [];
    return name === undefined ? [] : [{ specifier: manifest.name + subpath.slice(1), name }];
  });
}

/**
 * The report of each entry by its name, from the emitted declarations in `folder`. An entry that
 * exports all of another one names it, and reports only what it adds.
 */
export async function createApiReports(
  folder: string,
  entries: readonly ApiEntry[],
): Promise<ReadonlyMap<string, string>> {
  const fileOf = ({ name }: ApiEntry): string => join(folder, `${name}.d.ts`);
  const program = ts.createProgram(entries.map(fileOf), {
    allowImportingTsExtensions: true,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    noEmit: true,
    // Declarations are printed, never checked: no library and no package is needed.
    noLib: true,
    types: [],
  });
  const reader = new ApiReader(program, folder);
  const reports = new Map<string, string>();
  for (const entry of entries) {
    const source = program.getSourceFile(fileOf(entry));
    if (!source) throw new Error(`${entry.specifier} has no declarations at ${fileOf(entry)}.`);
    const wholes = entries.filter((other) => reader.exportsAllOf(source, fileOf(other)));
    const inherited = new Set(wholes.flatMap((other) => reader.namesOf(fileOf(other))));
    reports.set(entry.name, await writeReport(entry, wholes, reader.read(source, inherited)));
  }
  return reports;
}

/** What one module exports. */
interface ModuleApi {
  readonly declarations: readonly string[];
  /** Types of ours that stand in the declarations, and can't be imported from the same module. */
  readonly unexported: readonly string[];
}

function writeReport(
  { specifier }: ApiEntry,
  wholes: readonly ApiEntry[],
  { declarations, unexported }: ModuleApi,
): Promise<string> {
  const text = [`# ${specifier}`, '`npm run api` writes this file.'];
  for (const whole of wholes) text.push(`Everything of \`${whole.specifier}\`, and:`);
  text.push(`\`\`\`ts\n${declarations.join('\n\n')}\n\`\`\``);
  if (unexported.length > 0) {
    const names = unexported.map((name) => `- \`${name}\``).join('\n');
    text.push(`These types are named above, and are not exported here:\n\n${names}`);
  }
  text.push(`Names: ${declarations.length}`);
  // Formatted like `npm run format`, because the format lane checks the reports too.
  return format(text.join('\n\n'), {
    parser: 'markdown',
    printWidth: 100,
    singleQuote: true,
    trailingComma: 'all',
  });
}

class ApiReader {
  readonly #program: ts.Program;
  readonly #checker: ts.TypeChecker;
  readonly #folder: string;
  readonly #printer = ts.createPrinter({ removeComments: true });

  constructor(program: ts.Program, folder: string) {
    this.#program = program;
    this.#checker = program.getTypeChecker();
    this.#folder = folder.replaceAll(sep, '/').replace(/\/?$/, '/');
  }

  /** Whether `source` says `export * from` the file at `path`. */
  exportsAllOf(source: ts.SourceFile, path: string): boolean {
    const whole = this.#program.getSourceFile(path);
    return source.statements.some((statement) => {
      if (!ts.isExportDeclaration(statement) || statement.exportClause) return false;
      const { moduleSpecifier } = statement;
      const symbol = moduleSpecifier && this.#checker.getSymbolAtLocation(moduleSpecifier);
      return symbol !== undefined && symbol.declarations?.[0] === whole;
    });
  }

  namesOf(path: string): string[] {
    const source = this.#program.getSourceFile(path);
    return source ? this.#exportsOf(source).map(({ name }) => name) : [];
  }

  read(source: ts.SourceFile, leftOut: ReadonlySet<string>): ModuleApi {
    const all = this.#exportsOf(source);
    const exported = new Set(all.map((symbol) => this.#follow(symbol)));
    const named = new Set<ts.Symbol>();
    const declarations = all
      .filter(({ name }) => !leftOut.has(name))
      .sort((a, b) => compare(a.name, b.name))
      .map((symbol) => this.#print(symbol, named));
    const unexported = [...named]
      .filter((symbol) => !exported.has(symbol))
      .map(({ name }) => name)
      .sort(compare);
    return { declarations, unexported: [...new Set(unexported)] };
  }

  #exportsOf(source: ts.SourceFile): ts.Symbol[] {
    const module = this.#checker.getSymbolAtLocation(source);
    return module ? this.#checker.getExportsOfModule(module) : [];
  }

  #follow(symbol: ts.Symbol): ts.Symbol {
    return symbol.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol;
  }

  /** All declarations of a name: a class has one, an overloaded function several. */
  #print(symbol: ts.Symbol, named: Set<ts.Symbol>): string {
    const target = this.#follow(symbol);
    const nodes = (target.declarations ?? []).map((node) =>
      // A variable's own node has neither `const` nor `export`.
      ts.isVariableDeclaration(node) ? node.parent.parent : node,
    );
    if (nodes.length === 0) throw new Error(`The declaration of ${symbol.name} can't be found.`);
    const texts = nodes.map((node) => {
      this.#collectTypes(node, named);
      const text = this.#printer.printNode(ts.EmitHint.Unspecified, node, node.getSourceFile());
      // By which module the compiler reaches a type is its own choice, and may change with any import.
      return text.replace(/\bimport\((?:"[^"]*"|'[^']*')\)\./g, '');
    });
    const renamed =
      symbol.name === target.name ? [] : [`export { ${target.name} as ${symbol.name} };`];
    return [...texts, ...renamed].join('\n');
  }

  /** Adds the types of ours that `node` names. */
  #collectTypes(node: ts.Node, named: Set<ts.Symbol>): void {
    if (ts.isIdentifier(node)) {
      const symbol = this.#checker.getSymbolAtLocation(node);
      const target = symbol && this.#follow(symbol);
      const [place] = target?.declarations ?? [];
      const isOurs = place?.getSourceFile().fileName.startsWith(this.#folder) === true;
      // Members and type parameters stand inside another declaration.
      if (target && isOurs && place && ts.isSourceFile(place.parent)) named.add(target);
    }
    ts.forEachChild(node, (child) => this.#collectTypes(child, named));
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
