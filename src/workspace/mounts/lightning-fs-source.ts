// A volume of lightning-fs as a mount's source, by its own API. It is loaded with the first such mount.
//
// lightning-fs keeps contents by a file's number at once, and its tree half a second after the last change. A number
// is used again when its file is gone: a kill in between shows one file's bytes under another's name. So what is
// removed is first moved away, the tree is kept by `flush()`, and only then the contents go.
import type LightningFs from '@isomorphic-git/lightning-fs';
import { loadPackage } from '../../core/async/load-package.ts';
import { SdkError } from '../../core/errors.ts';
import type { HostEntry, HostFs, HostStats } from './host-fs.ts';

type Volume = LightningFs['promises'];

/** Removed files wait here for the next flush. Nobody else has a reason for that name. */
const removedName = '.rockpool-removed';
const removedPath = `/${removedName}`;

// An instance lets go of its volume half a second after its last call. Three times that is enough to wait for one
// that rests; lightning-fs itself would wait for ten minutes.
const patienceMs = 1500;

/**
 * Opens the volume and holds its Web Lock, `<name>_lock`, until it is closed: other instances wait meanwhile.
 *
 * @throws SdkError `EBUSY` where another instance uses the volume, `unsupported-environment` without IndexedDB,
 *   or where a page without a bundler can't load the package.
 */
export async function openLightningFsSource(name: string): Promise<HostFs> {
  if (typeof name !== 'string' || name === '') {
    throw new SdkError('bad-usage', 'A mount of lightning-fs needs the name of the volume.');
  }
  if (!('indexedDB' in globalThis) || !globalThis.navigator?.locks) {
    const message = 'Volumes of lightning-fs need IndexedDB and Web Locks, which are not here.';
    throw new SdkError('unsupported-environment', message);
  }
  const { default: Volumes } = await loadPackage(
    { name: '@isomorphic-git/lightning-fs', what: 'Mounting a volume of lightning-fs' },
    () => import('@isomorphic-git/lightning-fs'),
  );
  await requireFree(name);
  const fs = new Volumes(name, { defer: true }).promises;
  const source = new LightningFsSource(fs, name);
  await source.emptyRemoved();
  return source;
}

/** Waits for the volume's lock, without an instance that would go on waiting, and then for the volume itself. */
async function requireFree(name: string): Promise<void> {
  const signal = AbortSignal.timeout(patienceMs);
  try {
    await navigator.locks.request(`${name}_lock`, { signal }, () => undefined);
  } catch (error) {
    const message =
      `The volume "${name}" is in use by another LightningFS, in this page or in another tab. Let that rest, or ` +
      'unmount it there, then mount it here.';
    throw new SdkError('EBUSY', message, { cause: error, data: { name } });
  }
}

class LightningFsSource implements HostFs {
  readonly name: string;
  readonly id: string;
  readonly keepsModes = true;
  readonly #fs: Volume;
  readonly #release: () => void;
  /** A call that goes on: an instance lets go of its lock when none does. */
  readonly #holding: Promise<unknown>;
  #removed = 0;

  constructor(fs: Volume, name: string) {
    this.#fs = fs;
    this.name = name;
    this.id = `lightning-fs:${name}`;
    let release = () => {};
    const released = new Promise<boolean>((resolve) => {
      release = () => resolve(false);
    });
    this.#release = release;
    // The filter is asked first, and its no is the end of it: nothing is copied.
    this.#holding = fs.cp('/held', '/held-copy', { filter: () => released });
  }

  async readdir(path: string): Promise<readonly HostEntry[]> {
    const names = await this.#fs.readdir(`/${path}`);
    const entries: HostEntry[] = [];
    for (const name of names) {
      if (path === '' && name === removedName) continue;
      const stats = await this.stat(path === '' ? name : `${path}/${name}`);
      if (stats) entries.push({ name, kind: stats.kind });
    }
    return entries;
  }

  async stat(path: string): Promise<HostStats | null> {
    try {
      const stats = await this.#fs.lstat(`/${path}`);
      if (stats.type === 'dir') return { kind: 'directory' };
      if (stats.type === 'file') {
        const mode = Number(stats.mode) & 0o7777;
        return { kind: 'file', size: Number(stats.size), mtimeMs: Number(stats.mtimeMs), mode };
      }
      return { kind: 'symlink', target: await this.#fs.readlink(`/${path}`) };
    } catch (error) {
      if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null;
      throw error;
    }
  }

  async readFile(path: string): Promise<Uint8Array> {
    // The types don't say it: a file whose content is gone gives undefined.
    const bytes: Uint8Array | undefined = await this.#fs.readFile(`/${path}`);
    // A copy: lightning-fs puts a method of its own on what it gives.
    if (bytes) return Uint8Array.from(bytes);
    throw new SdkError('EINVAL', `the volume has lost the content of ${path}.`, { data: { path } });
  }

  async writeFile(
    path: string,
    bytes: Uint8Array,
    { mode }: { readonly mode: number },
  ): Promise<void> {
    // A link is removed first. The file would get the number of the link's target, and the two
    // would have one content.
    if ((await this.stat(path))?.kind === 'symlink') await this.remove(path);
    // Copied, because IndexedDB would keep the whole buffer of a view.
    await this.#fs.writeFile(`/${path}`, bytes.slice(), { mode } as never);
  }

  async mkdir(path: string): Promise<void> {
    await this.#fs.mkdir(`/${path}`);
  }

  async remove(path: string): Promise<void> {
    const stats = await this.stat(path);
    if (stats?.kind === 'directory') {
      // `rmdir` removes only an empty directory. A rename wouldn't look.
      await this.#fs.rmdir(`/${path}`);
      return;
    }
    if (stats?.kind === 'symlink') {
      // A link has no content that could go before its name does. A rename would move its target.
      await this.#fs.unlink(`/${path}`);
      return;
    }
    if (this.#removed === 0) await this.#makeRemoved();
    await this.#fs.rename(`/${path}`, `${removedPath}/${this.#removed}`);
    this.#removed += 1;
  }

  async symlink(target: string, path: string): Promise<void> {
    if (await this.stat(path)) await this.remove(path);
    await this.#fs.symlink(target, `/${path}`);
  }

  async flush(): Promise<void> {
    await this.#fs.flush();
    if (this.#removed > 0) await this.emptyRemoved();
  }

  async close(): Promise<void> {
    await this.flush();
    this.#release();
    await this.#holding;
  }

  /** Empties what was removed, including what a kill has left. */
  async emptyRemoved(): Promise<void> {
    this.#removed = 0;
    if (!(await this.stat(removedName))) return;
    for (const name of await this.#fs.readdir(removedPath)) {
      await this.#fs.unlink(`${removedPath}/${name}`);
    }
    await this.#fs.rmdir(removedPath);
    await this.#fs.flush();
  }

  async #makeRemoved(): Promise<void> {
    if (!(await this.stat(removedName))) await this.#fs.mkdir(removedPath);
  }
}

function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  const code = (error as { readonly code?: unknown } | null)?.code;
  return typeof code === 'string' && codes.includes(code);
}
