// The registry that a host names: metadata of packages, and their tarballs. Each tarball is
// verified against its integrity before it is used.
import { createAbortError } from '../../core/async/abort.ts';
import { describeThrown, SdkError } from '../../core/errors.ts';
import { encodeBase64 } from '../../core/bytes/base64.ts';
import { readBytes } from '../../core/bytes/read-bytes.ts';

/** A registry's metadata of one version. */
export interface PackageVersion {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly bundleDependencies?: readonly string[];
  readonly bin?: string | Readonly<Record<string, string>>;
  readonly engines?: Readonly<Record<string, string>>;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly hasInstallScript?: boolean;
  readonly license?: string;
  readonly deprecated?: string;
  readonly dist: {
    readonly tarball: string;
    readonly integrity?: string;
    readonly shasum?: string;
  };
}

/** A registry's metadata of a package: all of its versions. */
export interface Packument {
  readonly versions: Readonly<Record<string, PackageVersion>>;
  readonly 'dist-tags': Readonly<Record<string, string>>;
}

/** Where packages come from. */
export interface Registry {
  /**
   * @throws SdkError `invalid-input` if the registry doesn't have the package, `EIO` if it can't be
   * reached.
   */
  packument(name: string): Promise<Packument>;
  /** Returns the verified tarball. `resolved` may name another registry, but this one is used. */
  tarball(wanted: WantedTarball): Promise<Uint8Array>;
}

/** A tarball and its expected integrity. */
export interface WantedTarball {
  readonly name: string;
  readonly version: string;
  readonly resolved?: string | undefined;
  readonly integrity: string | undefined;
}

// 256 MB: twice the largest package that people install.
const maxBytes = 256 * 1024 * 1024;

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/**
 * Requests reject with `aborted` when the signal is aborted.
 *
 * @throws SdkError `invalid-input` if `url` isn't a URL.
 */
export function createRegistry(url: string, fetch: Fetch, signal: AbortSignal): Registry {
  const base = toBase(url);
  const packuments = new Map<string, Promise<Packument>>();
  async function get(path: string, accept: string, what: string): Promise<Uint8Array> {
    const toFailure = (how: string, cause: unknown) =>
      signal.aborted
        ? createAbortError(signal.reason)
        : new SdkError('EIO', `${how} ${what}: ${describeThrown(cause)}`, { cause });
    let response: Response;
    try {
      response = await fetch(base + path, { headers: { accept }, signal });
    } catch (error) {
      throw toFailure("The registry can't be asked for", error);
    }
    if (response.status === 404) {
      throw new SdkError(
        'invalid-input',
        `The registry has no ${what}. Check the name and the version.`,
      );
    }
    if (!response.ok) {
      throw new SdkError(
        'EIO',
        `The registry answers ${response.status} when it is asked for ${what}.`,
      );
    }
    let bytes: Uint8Array | undefined;
    try {
      bytes = await readBytes(response.body, maxBytes, signal);
    } catch (error) {
      throw toFailure('The registry broke off in the midst of', error);
    }
    if (bytes) return bytes;
    throw new SdkError(
      'limit-exceeded',
      `The registry's answer for ${what} is larger than any package.`,
    );
  }
  async function readPackument(name: string): Promise<Packument> {
    const path = name.replace('/', '%2f');
    const bytes = await get(path, 'application/vnd.npm.install-v1+json', name);
    try {
      const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
      const { versions, 'dist-tags': tags } = value as Partial<Packument>;
      if (versions && typeof versions === 'object') return { versions, 'dist-tags': tags ?? {} };
    } catch {
      // Reported below, like any other answer that isn't a package's.
    }
    throw new SdkError(
      'EIO',
      `The registry gives no package for ${name}, but something else. Check its URL.`,
    );
  }
  return {
    packument(name) {
      const known = packuments.get(name) ?? readPackument(name);
      packuments.set(name, known);
      return known;
    },
    async tarball({ name, version, resolved, integrity }) {
      const what = `${name}@${version}`;
      if (integrity === undefined) {
        const message = `${what} has no integrity, so nobody knows what it should be. Nothing was installed.`;
        throw new SdkError('invalid-input', message, { data: { name, version } });
      }
      const bytes = await get(toPath(base, name, version, resolved), '*/*', what);
      if (await hasIntegrity(bytes, integrity)) return bytes;
      const message =
        `${what} isn't what it should be: its integrity is another than ${integrity}. Nothing was installed. ` +
        'Make the lockfile anew if the package was published again; else somebody has changed it.';
      throw new SdkError('invalid-input', message, { data: { name, version } });
    },
  };
}

function toBase(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol === 'https:' || parsed?.protocol === 'http:')
    return url.endsWith('/') ? url : `${url}/`;
  throw new SdkError(
    'invalid-input',
    `The registry is the URL of one, as https://…; it is ${JSON.stringify(url)}.`,
  );
}

/** Security: a lockfile may name any server, but only the host's registry is contacted. */
function toPath(base: string, name: string, version: string, resolved: string | undefined): string {
  const plain = `${name}/-/${name.slice(name.lastIndexOf('/') + 1)}-${version}.tgz`;
  if (resolved === undefined) return plain;
  if (!/^https?:/u.test(resolved) || !URL.canParse(resolved)) {
    const message = `${name}@${version} comes from ${resolved}, which is no registry. Only packages of one are installed.`;
    throw new SdkError('invalid-input', message, { data: { name, version } });
  }
  if (resolved.startsWith(base)) return resolved.slice(base.length);
  const at = resolved.indexOf(`/${name}/-/`);
  return at < 0 ? plain : resolved.slice(at + 1);
}

/** Strongest first: weaker hashes are ignored if there is a stronger one. */
const algorithms = [
  ['sha512', 'SHA-512'],
  ['sha384', 'SHA-384'],
  ['sha256', 'SHA-256'],
  ['sha1', 'SHA-1'],
] as const;

/** Subresource Integrity: one of the strongest hashes must match. */
async function hasIntegrity(bytes: Uint8Array, integrity: string): Promise<boolean> {
  const hashes = integrity.trim().split(/\s+/u);
  for (const [prefix, algorithm] of algorithms) {
    const wanted = hashes.filter((hash) => hash.startsWith(`${prefix}-`));
    if (wanted.length === 0) continue;
    // The cast is safe: these bytes aren't shared memory.
    const digest = await crypto.subtle.digest(algorithm, bytes as Uint8Array<ArrayBuffer>);
    const found = encodeBase64(new Uint8Array(digest));
    return wanted.some((hash) => hash.slice(prefix.length + 1).split('?')[0] === found);
  }
  return false;
}

/** Returns the integrity, also for a version that only has the old hexadecimal hash. */
export function integrityOf({ dist }: PackageVersion): string | undefined {
  if (dist.integrity !== undefined) return dist.integrity;
  if (!/^[0-9a-f]{40}$/u.test(dist.shasum ?? '')) return undefined;
  const digits = dist.shasum?.match(/../gu) ?? [];
  return `sha1-${encodeBase64(Uint8Array.from(digits, (pair) => Number.parseInt(pair, 16)))}`;
}
