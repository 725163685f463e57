// `it.each`: reads the rows of a table, and builds the name of each test.
import type { Kernel } from '../kernel-type.ts';

/** Returns the functions with which the test runner reads tables. */
export function createTestTables(kernel: Kernel) {
  function fill(name: string, args: unknown[], index: number): string {
    if (
      args.length === 1 &&
      typeof args[0] === 'object' &&
      args[0] !== null &&
      !Array.isArray(args[0])
    ) {
      name = name.replace(/\$([\w.]+)/g, (whole, path) => {
        const value = path.split('.').reduce((at, key) => at?.[key], args[0]);
        return value === undefined
          ? whole
          : typeof value === 'string'
            ? value
            : kernel.inspect(value);
      });
    }
    name = name
      .replaceAll('%#', String(index))
      .replaceAll('%$', String(index + 1))
      .replace(/%[po]/g, '%j');
    return /%[sdifj]/.test(name)
      ? kernel.format(name, ...args.slice(0, (name.match(/%[sdifj]/g) ?? []).length))
      : name;
  }
  // Reads it.each([[1, 2]])('…', (a, b) => …), and a tagged table: 'a | b' and its values.
  function rows(table, values: unknown[]): unknown[][] {
    if (!Array.isArray(table.raw)) return table.map((row) => (Array.isArray(row) ? row : [row]));
    const names = table[0]
      .trim()
      .split('|')
      .map((name) => name.trim());
    const list: unknown[][] = [];
    for (let at = 0; at < values.length; at += names.length) {
      list.push([Object.fromEntries(names.map((name, index) => [name, values[at + index]]))]);
    }
    return list;
  }

  return { fill, rows };
}
