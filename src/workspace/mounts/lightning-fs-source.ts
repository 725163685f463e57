// A volume of lightning-fs as a mount's source, through its own API. Loaded with the first such
// mount.
//
// lightning-fs stores contents at once, by a file's number, and its tree half a second after the
// last change. Numbers of removed files are reused, so a kill in between could show one file's
// bytes under another name. Therefore removed files are first moved away, then the tree is stored
// by `flush()`, and only then their contents are deleted.
import type LightningFs from '@isomorphic-git/lightning-fs';
import { createDeferred } from '../../core/async/deferred.ts';
import { loadPackage } from '../../core/async/load-package.ts';
import { SdkError } from '../../core/errors.ts';
import type { HostEntry, HostFs, HostStats } from './host-fs.ts';

type Volume = LightningFs['promises'];

/** Removed files wait here for the next flush. The name is unlikely to be used by anybody else. */
const removedName = '.rockpool-removed';
const removedPath = `/${removedName}`;

// 1.5 s: an idle instance releases its volume half a second after its last call. lightning-fs
// itself would wait for ten minutes.
const patienceMs = 1500;

/**
 * Opens the volume and holds its Web Lock, `<name>_lock`, until it is closed. Other instances wait
 * meanwhile.
 *
 * @throws SdkError `EBUSY` if another instance uses the volume, `unsupported-environment` without
 * IndexedDB,
 *   or if the package can't be loaded in a page without a bundler.
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

/**
 * Waits for the volume's lock with a timeout, because an instance of lightning-fs can't stop
 * waiting.
 */
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
  /**
   * A call that never ends while the volume is open: an instance keeps its lock as long as a call
   * runs.
   */
  readonly #holding: Promise<unknown>;
  #removed = 0;

  constructor(fs: Volume, name: string) {
    this.#fs = fs;
    this.name = name;
    this.id = `lightning-fs:${name}`;
    const released = createDeferred<boolean>();
    this.#release = () => released.resolve(false);
    // The filter is called first. It only resolves at the end, to false, so nothing is copied.
    this.#holding = fs.cp('/held', '/held-copy', { filter: () => released.promise });
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
    // Undefined for a file whose content is gone, although the types don't say so.
    const bytes: Uint8Array | undefined = await this.#fs.readFile(`/${path}`);
    // A copy, because lightning-fs adds a method to the array that it returns.
    if (bytes) return Uint8Array.from(bytes);
    throw new SdkError('EINVAL', `the volume has lost the content of ${path}.`, { data: { path } });
  }

  async writeFile(
    path: string,
    bytes: Uint8Array,
    { mode }: { readonly mode: number },
  ): Promise<void> {
    // Removes a link first. Otherwise the file would get the number of the link's target, and both
    // would share one content.
    if ((await this.stat(path))?.kind === 'symlink') await this.remove(path);
    // A copy, because IndexedDB stores the whole buffer of a view.
    await this.#fs.writeFile(`/${path}`, bytes.slice(), { mode } as never);
  }

  async mkdir(path: string): Promise<void> {
    await this.#fs.mkdir(`/${path}`);
  }

  async remove(path: string): Promise<void> {
    const stats = await this.stat(path);
    if (stats?.kind === 'directory') {
      // `rmdir` only removes an empty directory. A rename wouldn't check that.
      await this.#fs.rmdir(`/${path}`);
      return;
    }
    if (stats?.kind === 'symlink') {
      // A link has no content that could be deleted too early. A rename would move its target
      // instead.
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

  /** Deletes removed files, including those left after a kill. */
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
