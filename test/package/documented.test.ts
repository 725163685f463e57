// Each name that an entry of the package exports has a doc comment, and so has each member of the
// tool contract. What isn't said there is said nowhere.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

const guide = readFileSync(`${root}docs/tools.md`, 'utf8');

/** The source of each subpath's module, as package.json says. */
function listEntries(): string[] {
  const { exports } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
    readonly exports: Readonly<Record<string, string | Record<string, string>>>;
  };
  return Object.values(exports)
    .map((target) => (typeof target === 'string' ? '' : (target['rockpool-source'] ?? '')))
    .filter((source) => source.endsWith('.ts'))
    .map((source) => root + source.slice(2));
}

describe('what the package exports', () => {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => {} };
  const config = ts.getParsedCommandLineOfConfigFile(`${root}tsconfig.json`, {}, host);
  const entries = listEntries();
  const program = ts.createProgram(entries, config?.options ?? {});
  const checker = program.getTypeChecker();
  const symbols = entries.flatMap((entry) => {
    const file = program.getSourceFile(entry);
    const module = file && checker.getSymbolAtLocation(file);
    return module ? checker.getExportsOfModule(module).map(follow) : [];
  });

  function follow(symbol: ts.Symbol): ts.Symbol {
    return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  }

  const isDocumented = (symbol: ts.Symbol) => symbol.getDocumentationComment(checker).length > 0;

  function place(symbol: ts.Symbol): string {
    const file = symbol.declarations?.[0]?.getSourceFile().fileName ?? '?';
    return `${symbol.name} in ${file.replace(root, '')}`;
  }

  it('is found by this test', () => {
    expect(symbols.length).toBeGreaterThan(500);
  });

  it('has a doc comment at every name', () => {
    const missing = symbols.filter((symbol) => !isDocumented(symbol)).map(place);
    expect([...new Set(missing)]).toEqual([]);
  });

  it('has one at every member of a tool', () => {
    const tool = symbols.find(
      ({ name, flags }) => name === 'Tool' && flags & ts.SymbolFlags.Interface,
    );
    const members = tool ? checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(tool)) : [];
    expect(members.length).toBeGreaterThan(40);
    expect(members.filter((member) => !isDocumented(member)).map(({ name }) => name)).toEqual([]);
  });

  it.each(['ToolPermission', 'ToolSchedule', 'ToolDisplay', 'ToolResultMapping'])(
    'has the members of %s, and no others, in a table of docs/tools.md',
    (group) => {
      const symbol = symbols.find(({ name }) => name === group);
      const members = symbol
        ? checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol))
        : [];
      const [, table = ''] =
        new RegExp(`\\(\`${group}\`\\).*?\\n\\n(.*?)\\n\\n`, 's').exec(guide) ?? [];
      const rows = [...table.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name);
      expect(rows).toEqual(members.map(({ name }) => name));
      expect(rows.length).toBeGreaterThan(4);
    },
  );
});
