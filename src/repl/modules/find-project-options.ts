// Reads the settings of the tsconfig.json nearest to a file: the kind of decorators, whether fields
// are defined or assigned, and how JSX is compiled.
import { dirname, joinPath, resolvePath } from '../../core/path.ts';
import { isRecord } from '../../core/values/is-record.ts';
import { defaultProjectOptions, type ProjectOptions } from '../syntax/project-options.ts';
import type { ModuleFiles } from './module-resolver.ts';
import { broken, isFile, readConfig, toList } from './read-tsconfig.ts';

type CompilerOptions = Readonly<Record<string, unknown>>;

// 100: more than a project has. Security: the limit bounds the work, because the files are
// untrusted.
const maxConfigurations = 100;

const optionNames = [
  'experimentalDecorators',
  'useDefineForClassFields',
  'target',
  'jsxImportSource',
  'jsxFactory',
];

const factoryName =
  /^[\p{ID_Start}$_][\p{ID_Continue}$]*(?:\.[\p{ID_Start}$_][\p{ID_Continue}$]*)*$/u;

/**
 * Security: they are written into a module's code. After a download, anybody's text may stand in a
 * tsconfig.json, and none of it may run.
 */
const writtenNames: readonly (readonly [name: string, isRight: RegExp])[] = [
  ['jsxFactory', factoryName],
  ['jsxFragmentFactory', factoryName],
  ['jsxImportSource', /^[\w$./@-]+$/u],
];

/**
 * Without a configuration, and for packages, the language's own rules hold.
 *
 * @throws SdkError `invalid-input`, named SyntaxError, where a configuration can't be read
 */
export function findProjectOptions(files: ModuleFiles, path: string): ProjectOptions {
  if (path.includes('/node_modules/')) return defaultProjectOptions;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const name = ['tsconfig.json', 'jsconfig.json'].find((known) =>
      isFile(files, joinPath(folder, known)),
    );
    if (name !== undefined)
      return toProjectOptions(readOptions(files, joinPath(folder, name), new Set()));
    if (folder === '/') return defaultProjectOptions;
  }
}

function toProjectOptions(options: CompilerOptions): ProjectOptions {
  const isLegacy = options['experimentalDecorators'] === true;
  const target = String(options['target'] ?? 'esnext').toLowerCase();
  const text = (name: string) => (typeof options[name] === 'string' ? options[name] : undefined);
  const isOld = /^es(?:[356]|20(?:1\d|2[01]))$/u.test(target);
  return {
    decorators: isLegacy ? 'legacy' : 'standard',
    emitsTypes: isLegacy && options['emitDecoratorMetadata'] === true,
    strictNullChecks: (options['strictNullChecks'] ?? options['strict']) === true,
    fields: (options['useDefineForClassFields'] ?? !isOld) === true ? 'define' : 'assign',
    jsx: {
      importSource: text('jsxImportSource'),
      factory: text('jsxFactory'),
      fragmentFactory: text('jsxFragmentFactory'),
    },
  };
}

/**
 * `known` has the configurations that were read. Security: each file is read once, because
 * configurations may refer to each other in a cycle.
 */
function readOptions(files: ModuleFiles, path: string, known: Set<string>): CompilerOptions {
  if (known.has(path) || known.size >= maxConfigurations) return {};
  known.add(path);
  const folder = dirname(path);
  const config = readConfig(files, path);
  const own = isRecord(config['compilerOptions']) ? config['compilerOptions'] : {};
  for (const [name, isRight] of writtenNames) {
    const value = own[name];
    if (typeof value === 'string' && !isRight.test(value)) throw broken(path, `${name} is no name`);
  }
  let options: CompilerOptions = {};
  for (const extended of toList(config['extends'])) {
    const found = typeof extended === 'string' ? findExtended(files, extended, folder) : undefined;
    if (found !== undefined) options = { ...options, ...readOptions(files, found, known) };
  }
  options = { ...options, ...own };
  if (optionNames.some((name) => name in options)) return options;
  // A root configuration may only reference other configurations. The options are then in those.
  for (const reference of toList(config['references'])) {
    if (!isRecord(reference) || typeof reference['path'] !== 'string') continue;
    const part = resolvePath(folder, reference['path']);
    const file = isFile(files, part) ? part : joinPath(part, 'tsconfig.json');
    const found = readOptions(files, file, known);
    if (optionNames.some((name) => name in found)) return found;
  }
  return options;
}

function findExtended(files: ModuleFiles, name: string, folder: string): string | undefined {
  const candidates = (path: string) => [path, `${path}.json`, joinPath(path, 'tsconfig.json')];
  const find = (path: string) => candidates(path).find((candidate) => isFile(files, candidate));
  if (/^[./]/u.test(name)) return find(resolvePath(folder, name));
  for (let at = folder; ; at = dirname(at)) {
    const found = find(joinPath(at, 'node_modules', name));
    if (found !== undefined || at === '/') return found;
  }
}
