// From a specifier to a file of the workspace, as Node and bundlers do it together: extensions,
// index files, `.js` that means `.ts`, package.json of folders and of node_modules.
import { dirname, joinPath, resolvePath } from '../../core/path.ts';
import { isRecord } from '../../core/is-record.ts';
import type { SyncFileSystem } from '../../workspace/files/file-system.ts';

const extensions = ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs', '.json'];

/** TypeScript names the file that it would emit. */
const sourceExtensions: Readonly<Record<string, readonly string[]>> = {
  '.js': ['.ts', '.tsx'],
  '.jsx': ['.tsx'],
  '.mjs': ['.mts'],
  '.cjs': ['.cts'],
};

/** Conditions of `exports` and `imports` maps that hold here, besides `default`. */
const conditions = new Set(['import', 'require', 'node', 'module', 'module-sync']);

/** The file that `specifier` names when `importer` asks, or undefined. Asks the file system only. */
export function resolveModule(
  fs: SyncFileSystem,
  specifier: string,
  importer: string,
): string | undefined {
  const from = dirname(importer);
  if (specifier.startsWith('file://')) {
    return resolveFile(fs, decodeURIComponent(specifier.slice('file://'.length)));
  }
  if (/^(?:\.{0,2}\/|\.{1,2}$)/u.test(specifier)) {
    return resolveFile(fs, resolvePath(from, specifier));
  }
  for (const folder of ancestors(from)) {
    const manifest = readManifest(fs, folder);
    if (specifier.startsWith('#')) {
      if (!manifest) continue;
      return resolveMap(fs, folder, manifest['imports'], specifier, importer);
    }
    const { name, subpath } = splitPackage(specifier);
    // A package may import itself by its name.
    if (manifest?.['name'] === name && manifest['exports'] !== undefined) {
      return resolveExports(fs, folder, manifest['exports'], subpath);
    }
    const installed = joinPath(folder, 'node_modules', name);
    if (!isDirectory(fs, installed)) continue;
    const own = readManifest(fs, installed);
    if (own?.['exports'] !== undefined) {
      return resolveExports(fs, installed, own['exports'], subpath);
    }
    return resolveFile(fs, joinPath(installed, subpath));
  }
  return undefined;
}

/** A file, a file with an extension, or a folder's entry. */
function resolveFile(fs: SyncFileSystem, path: string): string | undefined {
  if (isFile(fs, path)) return path;
  const extension = /\.[^./]+$/u.exec(path)?.[0] ?? '';
  const stem = path.slice(0, path.length - extension.length);
  const sources = (sourceExtensions[extension] ?? []).map((source) => stem + source);
  const candidates = [...sources, ...extensions.map((added) => path + added)];
  const found = candidates.find((candidate) => isFile(fs, candidate));
  if (found !== undefined) return found;
  if (!isDirectory(fs, path)) return undefined;
  const manifest = readManifest(fs, path);
  const main = manifest?.['module'] ?? manifest?.['main'];
  // A folder whose main is itself would never end.
  if (typeof main === 'string' && joinPath(path, main) !== path) {
    const entry = resolveFile(fs, joinPath(path, main));
    if (entry !== undefined) return entry;
  }
  return extensions
    .map((added) => joinPath(path, `index${added}`))
    .find((candidate) => isFile(fs, candidate));
}

function resolveExports(
  fs: SyncFileSystem,
  folder: string,
  exported: unknown,
  subpath: string,
): string | undefined {
  const isMap =
    isRecord(exported) && Object.keys(exported).some((key) => key === '.' || key.startsWith('./'));
  const map = isMap ? exported : { '.': exported };
  return resolveMap(fs, folder, map, subpath === '' ? '.' : `./${subpath}`, folder);
}

/** An entry of `exports` or `imports`: by its name, or by the longest pattern with a `*`. */
function resolveMap(
  fs: SyncFileSystem,
  folder: string,
  map: unknown,
  name: string,
  importer: string,
): string | undefined {
  if (!isRecord(map)) return undefined;
  if (Object.hasOwn(map, name)) return resolveTarget(fs, folder, map[name], '', importer);
  const patterns = Object.keys(map)
    .filter((key) => key.includes('*'))
    .toSorted((a, b) => b.length - a.length);
  for (const pattern of patterns) {
    const [head = '', tail = ''] = pattern.split('*');
    const fits = name.length >= head.length + tail.length;
    if (!fits || !name.startsWith(head) || !name.endsWith(tail)) continue;
    const star = name.slice(head.length, name.length - tail.length);
    return resolveTarget(fs, folder, map[pattern], star, importer);
  }
  return undefined;
}

function resolveTarget(
  fs: SyncFileSystem,
  folder: string,
  target: unknown,
  star: string,
  importer: string,
): string | undefined {
  if (typeof target === 'string') {
    const filled = target.replaceAll('*', star);
    if (!filled.startsWith('.')) return resolveModule(fs, filled, importer);
    return resolveFile(fs, joinPath(folder, filled));
  }
  const options = Array.isArray(target)
    ? target
    : Object.entries(isRecord(target) ? target : {})
        .filter(([condition]) => condition === 'default' || conditions.has(condition))
        .map(([, value]) => value as unknown);
  for (const option of options) {
    const found = resolveTarget(fs, folder, option, star, importer);
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

/** A folder's package.json; a broken one counts as none, as a missing one does. */
function readManifest(fs: SyncFileSystem, folder: string): Record<string, unknown> | undefined {
  const path = joinPath(folder, 'package.json');
  if (!isFile(fs, path)) return undefined;
  try {
    const manifest: unknown = JSON.parse(fs.readFileSync(path, 'utf8'));
    return isRecord(manifest) ? manifest : undefined;
  } catch {
    return undefined;
  }
}

function isFile(fs: SyncFileSystem, path: string): boolean {
  return fs.existsSync(path) && fs.statSync(path).isFile();
}

function isDirectory(fs: SyncFileSystem, path: string): boolean {
  return fs.existsSync(path) && fs.statSync(path).isDirectory();
}
