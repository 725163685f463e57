// Resolves a specifier to a file of the workspace, as Node and bundlers do it together. It knows extensions, index
// files, `.js` that means `.ts`, package.json of folders and of node_modules, and aliases of tsconfig.json.
import { SdkError } from '../../core/errors.ts';
import { dirname, joinPath, resolvePath } from '../../core/path.ts';
import { isRecord } from '../../core/values/is-record.ts';
import { findAliases, toAliasedPaths } from './path-aliases.ts';

const extensions = ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs', '.json'];

/** TypeScript sources import a file by the name of its output, such as `.js` for `.ts`. */
const sourceExtensions: Readonly<Record<string, readonly string[]>> = {
  '.js': ['.ts', '.tsx'],
  '.jsx': ['.tsx'],
  '.mjs': ['.mts'],
  '.cjs': ['.cts'],
};

/** The file system functions that the resolver needs. */
export interface ModuleFiles {
  existsSync(path: string): boolean;
  statSync(path: string): { isFile(): boolean; isDirectory(): boolean };
  readFileSync(path: string, encoding: 'utf8'): string;
}

/**
 * How a module is requested. A package may have an ES module for `import` and CommonJS for
 * `require`.
 */
export type ModuleRequest = 'import' | 'require';

/** How a package's entry is chosen. */
interface Entries {
  /** The accepted conditions of `exports` and `imports` maps, in addition to `default`. */
  readonly conditions: ReadonlySet<string>;
  /** The fields of package.json that may name the entry. The first one that is present is used. */
  readonly mains: readonly string[];
}

/** The environment for which modules are resolved. A package may have an entry for each. */
export type ModuleTarget = Readonly<Record<ModuleRequest, Entries>>;

/**
 * Resolution for modules in a cell. As in Node, `import` and `require` both use a package's `main`.
 * If one of them used `module`, the package would be loaded twice, each time with its own classes
 * and state.
 */
const cellTarget: ModuleTarget = {
  import: {
    conditions: new Set(['import', 'node', 'module', 'module-sync']),
    mains: ['main', 'module'],
  },
  require: { conditions: new Set(['require', 'node', 'module-sync']), mains: ['main', 'module'] },
};

/** Resolution for modules in a page. */
export const pageTarget: ModuleTarget = {
  import: {
    conditions: new Set(['import', 'browser', 'module', 'development', 'svelte']),
    mains: ['browser', 'module', 'main'],
  },
  require: {
    conditions: new Set(['require', 'browser', 'development']),
    mains: ['browser', 'main', 'module'],
  },
};

/** The parameters of one resolution. */
interface Lookup {
  readonly files: ModuleFiles;
  readonly target: Entries;
}

/**
 * The file that `specifier` names for `importer`, or undefined. Asks the file system only. If a
 * package has nothing for `request`, its entry for the other one is taken.
 *
 * @throws SdkError `invalid-input` for a package.json that is no JSON, and for what may be an alias of a
 * configuration that can't be read
 */
export function resolveModule(
  files: ModuleFiles,
  specifier: string,
  importer: string,
  request: ModuleRequest,
  target: ModuleTarget = cellTarget,
): string | undefined {
  const other = request === 'import' ? 'require' : 'import';
  const find = (name: string) =>
    resolve({ files, target: target[request] }, name, importer) ??
    resolve({ files, target: target[other] }, name, importer);
  const found = find(specifier);
  // The specifier of an `import` is a URL. A different query makes another module of the same file.
  const path = /^(?:file:|\.{0,2}\/)[^?#]*(?=[?#])/u.exec(specifier)?.[0];
  return found ?? (path === undefined || request === 'require' ? undefined : find(path));
}

function resolve(lookup: Lookup, specifier: string, importer: string): string | undefined {
  const from = dirname(importer);
  if (specifier.startsWith('file://')) {
    return resolveFile(lookup, decodeURIComponent(specifier.slice('file://'.length)));
  }
  if (/^(?:\.{0,2}\/|\.{1,2}$)/u.test(specifier)) {
    return resolveFile(lookup, resolvePath(from, specifier));
  }
  // The project's aliases don't apply inside installed packages.
  const isInstalled = from.split('/').includes('node_modules');
  const aliases = isInstalled ? undefined : findAliases(lookup.files, ancestors(from));
  for (const path of aliases ? toAliasedPaths(aliases, specifier) : []) {
    const found = resolveFile(lookup, path);
    if (found !== undefined) return found;
  }
  for (const folder of ancestors(from)) {
    const manifest = readManifest(lookup, folder);
    if (specifier.startsWith('#')) {
      if (!manifest) continue;
      return resolveMap(lookup, folder, manifest['imports'], specifier, importer);
    }
    const { name, subpath } = splitPackage(specifier);
    // A package may import itself by its name.
    if (manifest?.['name'] === name && manifest['exports'] !== undefined) {
      return resolveExports(lookup, folder, manifest['exports'], subpath);
    }
    const installed = joinPath(folder, 'node_modules', name);
    if (!isDirectory(lookup, installed)) continue;
    const own = readManifest(lookup, installed);
    if (own?.['exports'] !== undefined) {
      return resolveExports(lookup, installed, own['exports'], subpath);
    }
    return resolveFile(lookup, joinPath(installed, subpath));
  }
  const found =
    aliases?.baseUrl === undefined
      ? undefined
      : resolveFile(lookup, joinPath(aliases.baseUrl, specifier));
  if (found === undefined && aliases?.broken) throw unknownAlias(specifier, aliases.broken);
  return found;
}

function unknownAlias(specifier: string, { name, message, data }: SdkError): SdkError {
  const why = `Cannot find module '${specifier}', which may be an alias: ${message}`;
  return Object.assign(new SdkError('invalid-input', why, { data }), { name });
}

/** Resolves a path to the file itself, the file with an added extension, or a folder's entry. */
function resolveFile(lookup: Lookup, path: string): string | undefined {
  if (isFile(lookup, path)) return path;
  const extension = /\.[^./]+$/u.exec(path)?.[0] ?? '';
  const stem = path.slice(0, path.length - extension.length);
  const sources = (sourceExtensions[extension] ?? []).map((source) => stem + source);
  const candidates = [...sources, ...extensions.map((added) => path + added)];
  const found = candidates.find((candidate) => isFile(lookup, candidate));
  if (found !== undefined) return found;
  if (!isDirectory(lookup, path)) return undefined;
  const manifest = readManifest(lookup, path);
  const main = lookup.target.mains
    .map((name) => manifest?.[name])
    .find((entry) => typeof entry === 'string');
  // A `main` that names its own folder would recurse without end.
  if (typeof main === 'string' && joinPath(path, main) !== path) {
    const entry = resolveFile(lookup, joinPath(path, main));
    if (entry !== undefined) return entry;
  }
  return extensions
    .map((added) => joinPath(path, `index${added}`))
    .find((candidate) => isFile(lookup, candidate));
}

function resolveExports(
  lookup: Lookup,
  folder: string,
  exported: unknown,
  subpath: string,
): string | undefined {
  const isMap =
    isRecord(exported) && Object.keys(exported).some((key) => key === '.' || key.startsWith('./'));
  const map = isMap ? exported : { '.': exported };
  return resolveMap(lookup, folder, map, subpath === '' ? '.' : `./${subpath}`, folder);
}

/**
 * Looks up a name in an `exports` or `imports` map: first literally, then by the longest matching
 * pattern with a `*`.
 */
function resolveMap(
  lookup: Lookup,
  folder: string,
  map: unknown,
  name: string,
  importer: string,
): string | undefined {
  if (!isRecord(map)) return undefined;
  if (Object.hasOwn(map, name)) return resolveTarget(lookup, folder, map[name], '', importer);
  const patterns = Object.keys(map)
    .filter((key) => key.includes('*'))
    .toSorted((a, b) => b.length - a.length);
  for (const pattern of patterns) {
    const [head = '', tail = ''] = pattern.split('*');
    const fits = name.length >= head.length + tail.length;
    if (!fits || !name.startsWith(head) || !name.endsWith(tail)) continue;
    const star = name.slice(head.length, name.length - tail.length);
    return resolveTarget(lookup, folder, map[pattern], star, importer);
  }
  return undefined;
}

function resolveTarget(
  lookup: Lookup,
  folder: string,
  target: unknown,
  star: string,
  importer: string,
): string | undefined {
  if (typeof target === 'string') {
    const filled = target.replaceAll('*', star);
    if (!filled.startsWith('.')) return resolve(lookup, filled, importer);
    return resolveFile(lookup, joinPath(folder, filled));
  }
  const options = Array.isArray(target)
    ? target
    : Object.entries(isRecord(target) ? target : {})
        .filter(([condition]) => condition === 'default' || lookup.target.conditions.has(condition))
        .map(([, value]) => value as unknown);
  for (const option of options) {
    const found = resolveTarget(lookup, folder, option, star, importer);
    if (found !== undefined) return found;
  }
  return undefined;
}

function splitPackage(specifier: string): { name: string; subpath: string } {
  const parts = specifier.split('/');
  const length = specifier.startsWith('@') ? 2 : 1;
  return { name: parts.slice(0, length).join('/'), subpath: parts.slice(length).join('/') };
}

function* ancestors(folder: string): Generator<string> {
  yield folder;
  for (let at = folder; at !== '/';) {
    at = dirname(at);
    yield at;
  }
}

/** A folder's package.json. @throws SdkError `invalid-input` for a broken one, as Node does */
function readManifest(lookup: Lookup, folder: string): Record<string, unknown> | undefined {
  const path = joinPath(folder, 'package.json');
  if (!isFile(lookup, path)) return undefined;
  const text = lookup.files.readFileSync(path, 'utf8').replace(/^\uFEFF/u, '');
  let manifest: unknown;
  try {
    manifest = JSON.parse(text);
  } catch (error) {
    const why = `Invalid package config ${path}: ${(error as SyntaxError).message}. Mend that file.`;
    throw new SdkError('invalid-input', why, { data: { path } });
  }
  return isRecord(manifest) ? manifest : undefined;
}

function isFile(lookup: Lookup, path: string): boolean {
  return lookup.files.existsSync(path) && lookup.files.statSync(path).isFile();
}

function isDirectory(lookup: Lookup, path: string): boolean {
  return lookup.files.existsSync(path) && lookup.files.statSync(path).isDirectory();
}
