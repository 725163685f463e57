// Reads a project's test config. The config isn't executed. Only literals in it are used.
import type { Kernel } from '../kernel-type.ts';
import { textForFile } from './projects.ts';

export interface TestConfig {
  readonly environment: string | undefined;
  /** Files that run before each test file, as paths or package names. */
  readonly setupFiles: readonly string[];
  /** Names that the code of the project uses as globals: Vite's `define`, jest's `globals`. */
  readonly globals: Readonly<Record<string, unknown>>;
  /** The path of the config file. */
  readonly path: string;
}

const configs = ['vitest.config', 'vite.config', 'jest.config'].flatMap((name) =>
  ['.ts', '.mts', '.js', '.mjs', '.cjs'].map((end) => name + end),
);

const literal = '\'[^\'\\n]*\'|"[^"\\n]*"|`[^`$\\n]*`';
/** Or a text, which is kept: a glob may have what begins a comment. */
const comment = new RegExp('(' + literal + ')|/\\*[^]*?\\*/|//[^\\n]*', 'g');
const unquoted = (text: string) => text.slice(1, -1);
/** Reads the texts of options that have one, or a list of them. */
function readTexts(text: string, names: string): string[] {
  const list = '\\[(?:' + literal + '|[^\\]\'"`])*';
  const option = new RegExp(
    '\\b(?:' + names + ')[\'"]?\\s*:\\s*(' + literal + '|' + list + ')',
    'g',
  );
  return [...text.matchAll(option)].flatMap(([, given = '']) =>
    (given.match(new RegExp(literal, 'g')) ?? []).map(unquoted),
  );
}
const defined = {
  vite: /\b(define|env)\s*:\s*\{([^{}]*)\}/g,
  jest: /\b(globals)\s*:\s*\{([^{}]*)\}/g,
};
const entry = new RegExp(
  '([\'"]?)([\\w$.]+)\\1\\s*:\\s*(?:(true|false|null|-?[\\d.]+|' +
    literal +
    ')|JSON\\.stringify\\(\\s*(' +
    literal +
    ')\\s*\\))\\s*(?:,|$)',
  'g',
);

/** Reads the literals. What `define` has as a string is code, of which JSON is read. `env` has texts. */
function readGlobals(
  text: string,
  tool: 'vite' | 'jest',
  parse: Kernel['parse'],
): Record<string, unknown> {
  const globals: Record<string, unknown> = {};
  for (const [, kind, entries = ''] of text.matchAll(defined[tool]))
    for (const [, , name = '', given = '', quoted] of entries.matchAll(entry)) {
      const isText = /^['"`]/.test(given);
      if (kind === 'env') globals['process.env.' + name] = isText ? unquoted(given) : given;
      else if (quoted !== undefined) globals[name] = unquoted(quoted);
      else if (isText && tool === 'jest') globals[name] = unquoted(given);
      else
        try {
          globals[name] = parse(isText ? unquoted(given) : given);
        } catch {
          // An expression. A config isn't run, so the name stays undefined, and its use says so.
        }
    }
  return globals;
}

/** Defines a config's globals for the test file that follows. */
export function useGlobals(kernel: Kernel, { globals }: TestConfig): void {
  for (const name of Object.keys(globals)) {
    const variable = /^process\.env\.(\w+)$/.exec(name)?.[1];
    if (variable !== undefined) kernel.process.env[variable] = String(globals[name]);
    else if (!name.includes('.')) kernel.defineGlobal(name, globals[name]);
  }
}

/** Reads the nearest config above a test file. */
export function readTestConfig({ host, parse, path, stringify }: Kernel, file: string): TestConfig {
  const read = (name: string) => (host.exists(name) ? host.readText(name) : undefined);
  for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
    const placed = (name: string) => {
      const given = name.replace(/^<rootDir>/, folder);
      const full = path.resolve(folder, given);
      return host.exists(full) ? full : given;
    };
    const textOf = (text: string) =>
      textForFile(text, readTexts, (glob, root) =>
        host.matchesGlob(path.resolve(folder, root, glob.replace(/^<rootDir>/, '.')), file),
      );
    for (const name of configs) {
      const full = path.join(folder, name);
      const whole = read(full)?.replace(comment, '$1');
      if (whole === undefined) continue;
      const text = textOf(whole);
      return {
        environment: readTexts(text, 'environment|testEnvironment')[0],
        setupFiles: readTexts(text, 'setupFiles|setupFilesAfterEnv').map(placed),
        globals: readGlobals(text, name.startsWith('jest') ? 'jest' : 'vite', parse),
        path: full,
      };
    }
    const full = path.join(folder, 'package.json');
    const manifest = read(full);
    // A package of a monorepo may have no config of its own: then the root's counts.
    const jest = manifest === undefined ? undefined : parse(manifest)?.jest;
    if (jest) {
      const text = textOf(stringify(jest));
      return {
        environment: readTexts(text, 'testEnvironment')[0],
        setupFiles: readTexts(text, 'setupFiles|setupFilesAfterEnv').map(placed),
        globals: jest.globals ?? {},
        path: full,
      };
    }
    if (folder === path.dirname(folder))
      return { environment: undefined, setupFiles: [], globals: {}, path: file };
  }
}
