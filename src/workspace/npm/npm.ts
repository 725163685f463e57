// Installs packages without npm: they are fetched from the registry that the host names, verified,
// and written together with the lockfile in one commit, or not at all.
import { checkOptionNames } from '../../core/check-option-names.ts';
import { createChildController, throwIfAborted } from '../../core/async/abort.ts';
import { SdkError, hasCode } from '../../core/errors.ts';
import { joinPath } from '../../core/path.ts';
import type { ArchiveEntry } from '../archives/archive-entry.ts';
import { readTar } from '../archives/read-tar.ts';
import { unpack, type UnpackProgress, type UnpackResult } from '../archives/unpack.ts';
import type { Workspace } from '../workspace.ts';
import {
  checkPackageName,
  nameOfPath,
  parseManifest,
  readLockfile,
  type LockedPackage,
  type LockedPackages,
  type ProjectManifest,
} from './lockfile.ts';
import { createRegistry, integrityOf, type Registry } from './registry.ts';
import { resolveTree, type PlacedPackage } from './resolve-tree.ts';

/** A project and its registry. */
export interface NpmOptions {
  readonly workspace: Workspace;
  /** The project's absolute directory, with package.json and package-lock.json. */
  readonly directory: string;
  /** The registry's URL. No other server is contacted, whatever a lockfile says. */
  readonly registry: string;
  /** @defaultValue the realm's own */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/** Progress and abort of an install. */
export interface NpmInstallOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: UnpackProgress) => void;
}

/** What was installed, in one commit. */
export interface NpmInstallResult extends UnpackResult {
  readonly packages: number;
  /**
   * Packages with install scripts, which aren't run. Some packages need the results of these
   * scripts.
   */
  readonly unrunScripts: readonly string[];
}

/** A project's packages. */
export interface Npm {
  /**
   * Without names, installs exactly what package-lock.json has, as `npm ci` does. With names such
   * as `x`, `x@^1` or `x@latest`, adds them to package.json, resolves all dependencies and writes
   * the lockfile. Locked versions stay if they still match. node_modules is created again in either
   * case. No script runs.
   *
   * @throws SdkError `invalid-input` for a wrong integrity, a missing package or version, an
   * invalid
   *   lockfile, and packages that don't come from a registry. `EIO` if the registry can't be reached.
   *   `limit-exceeded` and `aborted`. The workspace is then unchanged.
   */
  install(packages?: readonly string[], options?: NpmInstallOptions): Promise<NpmInstallResult>;
}

/** 8: how many tarballs are fetched concurrently. */
const ahead = 8;

/** Creates an installer for one project. Nothing is read or requested before an install. */
export function createNpm(options: NpmOptions): Npm {
  checkOptionNames('createNpm', options, knownOptions);
  const { workspace, directory, registry: url, fetch } = options;
  const { fs } = workspace;
  const read = async (name: string): Promise<string | undefined> => {
    try {
      return await fs.readFile(joinPath(directory, name), 'utf8');
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return undefined;
      throw error;
    }
  };
  async function installFrom(
    registry: Registry,
    packages: readonly string[],
    { signal, onProgress }: NpmInstallOptions,
  ): Promise<NpmInstallResult> {
    const lock = await read('package-lock.json');
    const written = new Map<string, string>();
    let locked: LockedPackages = lock === undefined ? new Map() : readLockfile(lock);
    if (packages.length > 0) {
      const text = (await read('package.json')) ?? '{}';
      const { manifest, placed } = await resolve(parseManifest(text), packages, registry, locked);
      written.set('package.json', toJson(manifest, text));
      written.set('package-lock.json', toLockfile(manifest, placed));
      locked = readLockfile(toLockfile(manifest, placed));
    } else if (lock === undefined) {
      const message = `There is no package-lock.json in ${directory}. Name what is to be installed, as in install(['x@^1']).`;
      throw new SdkError('ENOENT', message, { data: { directory } });
    }
    const wanted = [...locked].filter(([, one]) => isInstalled(one));
    const unpacking = { directory, ...(signal && { signal }), ...(onProgress && { onProgress }) };
    const result = await unpack(
      workspace,
      listFiles(wanted, registry, written),
      unpacking,
      async (tree) => {
        await tree.fs.rm(joinPath(directory, 'node_modules'), { recursive: true, force: true });
      },
    );
    const unrun = wanted.filter(([, { hasInstallScript }]) => hasInstallScript === true);
    const unrunScripts = [...new Set(unrun.map(([path]) => nameOfPath(path)))];
    return { ...result, packages: wanted.length, unrunScripts };
  }

  return {
    async install(packages = [], options = {}) {
      const { signal } = options;
      throwIfAborted(signal);
      const requests = createChildController(signal ?? new AbortController().signal);
      const asked = fetch ?? ((given, init) => globalThis.fetch(given, init));
      try {
        const registry = createRegistry(url, asked, requests.signal);
        return await installFrom(registry, packages, options);
      } finally {
        // After a failure, pending downloads aren't needed.
        requests.abort();
        requests[Symbol.dispose]();
      }
    },
  };
}

type Manifest = ProjectManifest & Record<string, unknown>;

async function resolve(
  given: Manifest,
  packages: readonly string[],
  registry: Registry,
  locked: LockedPackages,
): Promise<{ readonly manifest: Manifest; readonly placed: readonly PlacedPackage[] }> {
  const wanted = packages.map((spec) => {
    const at = spec.indexOf('@', 1);
    const name = checkPackageName(at < 0 ? spec : spec.slice(0, at));
    return { name, range: at < 0 ? 'latest' : spec.slice(at + 1) };
  });
  // The old lockfile doesn't apply to packages that are requested now.
  const isAsked = (path: string) => wanted.some(({ name }) => name === nameOfPath(path));
  const kept = new Map([...locked].filter(([path]) => !isAsked(path)));
  const enter = (ranges: Readonly<Record<string, string>>) => {
    const dev = Object.keys(given.devDependencies ?? {});
    const toDev = Object.entries(ranges).filter(([name]) => dev.includes(name));
    const toProd = Object.entries(ranges).filter(([name]) => !dev.includes(name));
    return {
      ...given,
      ...(toProd.length > 0 && {
        dependencies: sortKeys({ ...given.dependencies, ...Object.fromEntries(toProd) }),
      }),
      ...(toDev.length > 0 && {
        devDependencies: sortKeys({ ...given.devDependencies, ...Object.fromEntries(toDev) }),
      }),
    };
  };
  const ranges = Object.fromEntries(wanted.map(({ name, range }) => [name, range]));
  const placed = await resolveTree(enter(ranges), registry, kept);
  // A tag changes over time, so package.json gets the range of its current version, as npm writes
  // it.
  const fixed = wanted.map(({ name, range }) => {
    const version = placed.find(({ path }) => path === `node_modules/${name}`)?.manifest.version;
    return [
      name,
      version !== undefined && /^[a-z]/iu.test(range) && !range.includes(':')
        ? `^${version}`
        : range,
    ];
  });
  return { manifest: enter(Object.fromEntries(fixed) as Record<string, string>), placed };
}

/** Optional packages for specific systems aren't fetched, because a browser can't run them. */
function isInstalled({ inBundle, optional, os, cpu }: LockedPackage): boolean {
  return inBundle !== true && !(optional === true && (os ?? cpu) !== undefined);
}

async function* listFiles(
  wanted: readonly (readonly [string, LockedPackage])[],
  registry: Registry,
  written: ReadonlyMap<string, string>,
): AsyncGenerator<ArchiveEntry> {
  for (const [path, text] of written) yield toFile(path, text);
  const coming = new Map<string, Promise<Uint8Array>>();
  const start = ([path, locked]: readonly [string, LockedPackage]) => {
    if (locked.link === true) return;
    const { version = '', resolved, integrity } = locked;
    const name = checkPackageName(locked.name ?? nameOfPath(path));
    const tarball = registry.tarball({ name, version, resolved, integrity });
    // The tarball is awaited at its turn.
    tarball.catch(() => undefined);
    coming.set(path, tarball);
  };
  const taken = new Set<string>();
  wanted.slice(0, ahead).forEach(start);
  for (const [n, [path, locked]] of wanted.entries()) {
    const next = wanted[n + ahead];
    if (next) start(next);
    if (locked.link === true) {
      const depth = path.split('/').length - 1;
      yield toLink(path, '../'.repeat(depth) + (locked.resolved ?? ''));
      continue;
    }
    const tarball = (await coming.get(path)) ?? new Uint8Array();
    coming.delete(path);
    for await (const entry of readTar(tarball)) {
      // The first part is the tarball's own directory, usually `package`. As in npm, links and a
      // bundled .git are ignored.
      const below = entry.path.replace(/^(?:\.\/)?[^/]+\/?/u, '');
      if (below === '' || entry.kind === 'symlink' || entry.kind === 'hardlink') continue;
      yield {
        ...entry,
        path: `${path}/${below}`,
        mode: ((entry.mode ?? 0) & 0o111) !== 0 ? 0o755 : 0o644,
      };
    }
    yield* listBins(path, locked, taken);
  }
}

/** Returns the commands of packages beside them, as npm creates them for scripts. */
function* listBins(
  path: string,
  { bin }: LockedPackage,
  taken: Set<string>,
): Generator<ArchiveEntry> {
  const name = nameOfPath(path);
  const own = name.slice(name.lastIndexOf('/') + 1);
  const bins = typeof bin === 'string' ? { [own]: bin } : (bin ?? {});
  const above = path.slice(0, -name.length);
  for (const [command, file] of Object.entries(bins)) {
    const link = `${above}.bin/${command}`;
    // Security: the name becomes a path, and the link must stay within the packages.
    const isGood = /^[\w~][\w.~-]*$/u.test(command) && !file.split('/').includes('..');
    if (!isGood || taken.has(link)) continue;
    taken.add(link);
    yield toLink(link, `../${name}/${file.replace(/^(?:\.?\/)+/u, '')}`);
  }
}

function toFile(path: string, text: string): ArchiveEntry {
  const bytes = new TextEncoder().encode(text);
  const read = () => Promise.resolve(bytes);
  return { path, kind: 'file', size: bytes.length, mode: undefined, mtimeMs: Date.now(), read };
}

function toLink(path: string, target: string): ArchiveEntry {
  return { ...toFile(path, target), kind: 'symlink', target };
}

/** Version 3, as written by npm 7 and later. */
function toLockfile(manifest: Manifest, placed: readonly PlacedPackage[]): string {
  const { name, version, dependencies, devDependencies, optionalDependencies } = manifest;
  const root = { name, version, dependencies, devDependencies, optionalDependencies };
  const packages = Object.fromEntries(placed.map((one) => [one.path, toLocked(one)]));
  const lock = {
    name,
    version,
    lockfileVersion: 3,
    requires: true,
    packages: { '': root, ...packages },
  };
  return `${JSON.stringify(lock, undefined, 2)}\n`;
}

function toLocked({ name, manifest, isDev, isOptional, isPeer }: PlacedPackage) {
  const { version, dist, license, hasInstallScript, engines, os, cpu } = manifest;
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = manifest;
  const own = manifest.name.slice(manifest.name.lastIndexOf('/') + 1);
  const bin = typeof manifest.bin === 'string' ? { [own]: manifest.bin } : manifest.bin;
  return {
    ...(manifest.name !== name && { name: manifest.name }),
    version,
    resolved: dist.tarball,
    integrity: integrityOf(manifest),
    ...(isDev && isOptional
      ? { dev: true, optional: true }
      : { ...(isDev && { dev: true }), ...(isOptional && { optional: true }) }),
    ...(isPeer && { peer: true }),
    hasInstallScript: hasInstallScript === true ? true : undefined,
    license: typeof license === 'string' ? license : undefined,
    dependencies,
    bin,
    engines,
    os,
    cpu,
    optionalDependencies,
    peerDependencies,
    peerDependenciesMeta,
  };
}

/** Returns the JSON with the indentation of the existing file. */
function toJson(value: unknown, before: string): string {
  const indent = /^\{\r?\n([ \t]+)"/u.exec(before)?.[1] ?? '  ';
  return `${JSON.stringify(value, undefined, indent)}\n`;
}

function sortKeys(ranges: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(ranges).sort(([one], [other]) => (one < other ? -1 : 1)),
  );
}

const knownOptions = {
  workspace: true,
  directory: true,
  registry: true,
  fetch: true,
} satisfies Record<keyof NpmOptions, true>;
