// Decides which version of each package is installed where. Packages are hoisted to the top if that
// causes no conflict, otherwise they are nested. npm.ts calls it for an install without a lockfile.
import type * as semver from 'semver';
import { loadPackage } from '../../core/async/load-package.ts';
import { SdkError, hasCode } from '../../core/errors.ts';
import { checkPackageName, type LockedPackages, type ProjectManifest } from './lockfile.ts';
import type { PackageVersion, Registry } from './registry.ts';

/** A package at its path. */
export interface PlacedPackage {
  /** From the project: `node_modules/a/node_modules/b`. */
  readonly path: string;
  /** The package's name at that path, which may be an alias. `manifest.name` is its real name. */
  readonly name: string;
  readonly manifest: PackageVersion;
  /** True if it is only needed for development. */
  isDev: boolean;
  /** True if the project works without it. */
  isOptional: boolean;
  isPeer: boolean;
}

/** A dependency of the package at `from`, which is empty for the project itself. */
interface Edge {
  readonly from: string;
  readonly name: string;
  readonly range: string;
  readonly kind: 'prod' | 'dev' | 'optional' | 'peer';
}

type Semver = typeof semver;

/**
 * @throws SdkError `invalid-input` for a package or version that the registry doesn't have, for
 *   ranges that don't refer to a registry, and for conflicting peer dependencies.
 */
export async function resolveTree(
  manifest: ProjectManifest,
  registry: Registry,
  locked: LockedPackages,
): Promise<readonly PlacedPackage[]> {
  const wanted = { name: 'semver', what: 'Installing packages by name' };
  const module = await loadPackage(wanted, () => import('semver'));
  const loaded = module as unknown as { readonly default?: Semver } & Semver;
  const tree = new Tree(registry, locked, loaded.default ?? loaded);
  await tree.grow(listEdges('', manifest));
  return tree.list();
}

class Tree {
  readonly #registry: Registry;
  readonly #preferred = new Map<string, string[]>();
  readonly #semver: Semver;
  readonly #placed = new Map<string, PlacedPackage>();
  readonly #edges: (Edge & { readonly to: string })[] = [];

  constructor(registry: Registry, locked: LockedPackages, semver: Semver) {
    this.#registry = registry;
    this.#semver = semver;
    for (const [path, { version }] of locked) {
      if (version === undefined) continue;
      const name = path.slice(path.lastIndexOf('node_modules/') + 13);
      this.#preferred.set(name, [...(this.#preferred.get(name) ?? []), version]);
    }
  }

  /** Breadth first, so that the project's own dependencies are at the top. */
  async grow(first: readonly Edge[]): Promise<void> {
    const queue = [...first];
    for (let edge = queue.shift(); edge; edge = queue.shift()) {
      const placed = await this.#satisfy(edge);
      if (placed) queue.push(...listEdges(placed.path, placed.manifest));
    }
    this.#mark();
  }

  list(): readonly PlacedPackage[] {
    return [...this.#placed.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
  }

  /**
   * Returns the package that was added for the dependency, or undefined if an existing one
   * satisfies it.
   */
  async #satisfy(edge: Edge): Promise<PlacedPackage | undefined> {
    const { name, kind } = edge;
    const wanted = parseSpec(name, edge.range);
    // A peer dependency is resolved beside the package that needs it, or above.
    const places = listPlaces(kind === 'peer' ? parentOf(edge.from) : edge.from);
    let free = places.length;
    for (const [n, place] of places.entries()) {
      const there = this.#placed.get(toPath(place, name));
      if (!there) continue;
      if (this.#fits(there.manifest, wanted)) {
        this.#edges.push({ ...edge, to: there.path });
        return undefined;
      }
      free = n;
      break;
    }
    if (free === 0) {
      const message = `${edge.from || 'The project'} needs ${name}@${edge.range} as its peer, and another version stands there.`;
      throw new SdkError('invalid-input', `${message} Nothing was installed.`, { data: { name } });
    }
    let manifest: PackageVersion;
    try {
      manifest = await this.#pick(wanted);
    } catch (error) {
      if (kind === 'optional' && hasCode(error, 'invalid-input')) return undefined;
      throw error;
    }
    // Uses the topmost free path at which the package doesn't hide one that others need.
    for (let n = free - 1; n >= 0; n -= 1) {
      const place = places[n] ?? '';
      if (n > 0 && !this.#hidesNothing(place, name, manifest)) continue;
      const path = toPath(place, name);
      const placed = {
        path,
        name,
        manifest,
        isDev: true,
        isOptional: true,
        isPeer: kind === 'peer',
      };
      this.#placed.set(path, placed);
      this.#edges.push({ ...edge, to: path });
      return placed;
    }
    throw new TypeError('A package has a place beside what needs it.');
  }

  /** True if packages below, which now find another version above, would accept this one. */
  #hidesNothing(place: string, name: string, manifest: PackageVersion): boolean {
    return this.#edges.every((edge) => {
      if (edge.name !== name || !isBelow(place, edge.from)) return true;
      const isFromAbove = edge.to.length < toPath(place, name).length;
      return !isFromAbove || this.#fits(manifest, parseSpec(name, edge.range));
    });
  }

  #fits({ name, version }: PackageVersion, wanted: Wanted): boolean {
    if (name !== wanted.name) return false;
    if (this.#semver.validRange(wanted.range) === null) return true;
    return this.#semver.satisfies(version, wanted.range, { loose: true });
  }

  async #pick({ name, range }: Wanted): Promise<PackageVersion> {
    const { versions, 'dist-tags': tags } = await this.#registry.packument(checkPackageName(name));
    const all = Object.keys(versions);
    const isTag = this.#semver.validRange(range) === null;
    const latest = tags['latest'];
    const fits = (version: string) => this.#semver.satisfies(version, range, { loose: true });
    const known = (this.#preferred.get(name) ?? []).filter((version) =>
      Object.hasOwn(versions, version),
    );
    const good = all.filter((version) => versions[version]?.deprecated === undefined);
    const version = isTag
      ? tags[range]
      : (known.find(fits) ??
        (latest !== undefined && fits(latest) ? latest : undefined) ??
        this.#semver.maxSatisfying(good, range, { loose: true }) ??
        this.#semver.maxSatisfying(all, range, { loose: true }));
    const found = version === undefined || version === null ? undefined : versions[version];
    if (found) return { ...found, name, version: version ?? found.version };
    const message = `The registry has no version of ${name} for ${range}. It has ${all.slice(-5).join(', ') || 'none'}.`;
    throw new SdkError('invalid-input', `${message} Nothing was installed.`, {
      data: { name, range },
    });
  }

  /**
   * Marks packages as dev or optional. A package that is also reachable without such edges is
   * neither.
   */
  #mark(): void {
    const reach = (skipped: Edge['kind'], mark: (placed: PlacedPackage) => void) => {
      const seen = new Set(['']);
      for (const from of seen) {
        for (const edge of this.#edges) {
          if (edge.from === from && edge.kind !== skipped) seen.add(edge.to);
        }
      }
      for (const path of seen) {
        const placed = this.#placed.get(path);
        if (placed) mark(placed);
      }
    };
    reach('dev', (placed) => (placed.isDev = false));
    reach('optional', (placed) => (placed.isOptional = false));
  }
}

interface Wanted {
  readonly name: string;
  readonly range: string;
}

/** `npm:real@range` means another package under this name. */
function parseSpec(name: string, range: string): Wanted {
  if (range.startsWith('npm:')) {
    const at = range.lastIndexOf('@');
    return at > 4
      ? { name: range.slice(4, at), range: range.slice(at + 1) }
      : { name: range.slice(4), range: 'latest' };
  }
  if (/^(?:git|github|file|link|workspace|https?)[:+]|\//u.test(range)) {
    const message = `${name} is wanted from ${range}, which is no registry. Only packages of one are installed.`;
    throw new SdkError('invalid-input', message, { data: { name, range } });
  }
  return { name, range: range === '' ? '*' : range };
}

function listEdges(from: string, manifest: ProjectManifest | PackageVersion): Edge[] {
  const { dependencies = {}, optionalDependencies = {} } = manifest;
  const dev = from === '' && 'devDependencies' in manifest ? manifest.devDependencies : {};
  const peers = 'peerDependencies' in manifest ? manifest.peerDependencies : {};
  const meta = ('peerDependenciesMeta' in manifest && manifest.peerDependenciesMeta) || {};
  const bundled = ('bundleDependencies' in manifest && manifest.bundleDependencies) || [];
  const toEdges = (ranges: Readonly<Record<string, string>> | undefined, kind: Edge['kind']) =>
    Object.entries(ranges ?? {}).map(([name, range]) => ({ from, name, range, kind }));
  return [
    ...toEdges(dependencies, 'prod').filter(
      ({ name }) => !Object.hasOwn(optionalDependencies, name),
    ),
    ...toEdges(dev, 'dev'),
    ...toEdges(optionalDependencies, 'optional'),
    ...toEdges(peers, 'peer').filter(({ name }) => meta[name]?.optional !== true),
  ].filter(({ name }) => !bundled.includes(name));
}

/**
 * Returns the paths whose node_modules are searched for a package at this path, nearest first. The
 * project's path is ''.
 */
function listPlaces(path: string): string[] {
  const places = [path];
  for (let at = path; at !== '';) {
    at = parentOf(at);
    places.push(at);
  }
  return places;
}

/** Returns the package in whose node_modules this one is. */
function parentOf(path: string): string {
  const at = path.lastIndexOf('node_modules/');
  return at <= 0 ? '' : path.slice(0, at - 1);
}

function toPath(place: string, name: string): string {
  return place === '' ? `node_modules/${name}` : `${place}/node_modules/${name}`;
}

function isBelow(place: string, path: string): boolean {
  return place === '' || path === place || path.startsWith(`${place}/`);
}
