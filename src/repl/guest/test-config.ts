// Reads a project's test config. The config isn't executed. Only literals in it are used.
import type { Kernel } from './kernel-type.ts';

export interface TestConfig {
  readonly environment: string | undefined;
  /** Files that run before each test file, as paths or package names. */
  readonly setupFiles: readonly string[];
  /** The path of the config file. */
  readonly path: string;
}

const configs = ['vitest.config', 'vite.config', 'jest.config'].flatMap((name) =>
  ['.ts', '.mts', '.js', '.mjs', '.cjs'].map((end) => name + end),
);

const literal = '\'[^\'\\n]*\'|"[^"\\n]*"|`[^`$\\n]*`';
const environment = new RegExp('\\b(?:environment|testEnvironment)\\s*:\\s*(' + literal + ')');
const setup = new RegExp(
  '\\b(?:setupFiles|setupFilesAfterEnv)\\s*:\\s*(' + literal + '|\\[[^\\]]*\\])',
  'g',
);
const unquoted = (text: string) => text.slice(1, -1);

/** Reads the nearest config above a test file. */
export function readTestConfig({ host, parse, path }: Kernel, file: string): TestConfig {
  const read = (name: string) => (host.exists(name) ? host.readText(name) : undefined);
  for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
    const placed = (name: string) => {
      const given = name.replace(/^<rootDir>/, folder);
      const full = path.resolve(folder, given);
      return host.exists(full) ? full : given;
    };
    for (const name of configs) {
      const full = path.join(folder, name);
      const text = read(full)?.replace(/\/\*[^]*?\*\/|(?<!:)\/\/[^\n]*/g, '');
      if (text === undefined) continue;
      const found = environment.exec(text)?.[1];
      const lists = [...text.matchAll(setup)].map(([, given = '']) => given);
      const names = lists.flatMap((given) => given.match(new RegExp(literal, 'g')) ?? []);
      return {
        environment: found && unquoted(found),
        setupFiles: names.map((given) => placed(unquoted(given))),
        path: full,
      };
    }
    const full = path.join(folder, 'package.json');
    const manifest = read(full);
    if (manifest !== undefined) {
      const { testEnvironment, setupFiles, setupFilesAfterEnv } = parse(manifest)?.jest ?? {};
      return {
        environment: testEnvironment,
        setupFiles: [setupFiles ?? [], setupFilesAfterEnv ?? []].flat().map(placed),
        path: full,
      };
    }
    if (folder === path.dirname(folder))
      return { environment: undefined, setupFiles: [], path: file };
  }
}
