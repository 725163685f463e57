// A directory handle as a mount's source: picked, dropped, or of the origin private file system.
// Outside changes are reported by FileSystemObserver if available. Otherwise they are looked for
// when the page gets the focus.
import { SdkError } from '../../core/errors.ts';
import { basename, dirname } from '../../core/path.ts';
import { findFolderId } from './folder-ids.ts';
import type { HostEntry, HostFs, HostStats } from './host-fs.ts';

/**
 * Requested for handles that a person has picked. Those of the private file system always have
 * permission.
 */
type PermissionMode = 'read' | 'readwrite';

/** Methods that current browsers have but TypeScript's library lacks. */
interface AskingHandle {
  queryPermission?(options: { readonly mode: PermissionMode }): Promise<PermissionState>;
  requestPermission?(options: { readonly mode: PermissionMode }): Promise<PermissionState>;
}

interface ObservedChange {
  readonly type: string;
  readonly relativePathComponents: readonly string[];
  readonly relativePathMovedFrom?: readonly string[] | null;
}

interface DirectoryObserver {
  observe(handle: FileSystemHandle, options: { readonly recursive: boolean }): Promise<void>;
  disconnect(): void;
}

type DirectoryObserverConstructor = new (
  callback: (changes: readonly ObservedChange[]) => void,
) => DirectoryObserver;

/** Chromium's temporary file while it writes. It stays if the browser is killed. */
const isSwapFile = (name: string) => name.endsWith('.crswap');

/**
 * Asks the person for permission if needed. Browsers require a user gesture, such as a click.
 *
 * @throws SdkError `EACCES` if it isn't granted.
 */
export async function openDirectorySource(
  handle: FileSystemDirectoryHandle,
  mode: PermissionMode,
): Promise<HostFs> {
  // The cast is needed because TypeScript's library, and some browsers, lack these methods.
  const asking = handle as unknown as AskingHandle;
  let permission = (await asking.queryPermission?.({ mode })) ?? 'granted';
  if (permission === 'prompt')
    permission = (await asking.requestPermission?.({ mode })) ?? 'denied';
  if (permission !== 'granted') {
    const what = mode === 'read' ? 'read' : 'changed';
    const instead =
      mode === 'read' ? 'Pick it again.' : 'Pick it again, or mount it with readOnly.';
    const message = `The folder "${handle.name}" may not be ${what}. ${instead}`;
    throw new SdkError('EACCES', message, { data: { name: handle.name } });
  }
  const id = await findFolderId(handle);
  return new DirectorySource(handle, { isReadOnly: mode === 'read', id });
}

class DirectorySource implements HostFs {
  readonly name: string;
  readonly id?: string;
  readonly isReadOnly: boolean;
  readonly #root: FileSystemDirectoryHandle;
  /** Handles by path. A handle is only a name, so a stale one fails when it is used. */
  readonly #known = new Map<string, FileSystemHandle>();
  /** Called once the folder itself was read. */
  #onReadable: (() => void) | undefined;

  constructor(
    root: FileSystemDirectoryHandle,
    { isReadOnly, id }: { readonly isReadOnly: boolean; readonly id: string | undefined },
  ) {
    this.#root = root;
    this.name = root.name === '' ? 'the private file system' : root.name;
    if (id !== undefined) this.id = id;
    this.isReadOnly = isReadOnly;
  }

  async readdir(path: string): Promise<readonly HostEntry[]> {
    return this.#try(path, async () => {
      const directory = await this.#directory(path);
      const entries: HostEntry[] = [];
      for await (const [name, child] of directory.entries()) {
        if (isSwapFile(name)) continue;
        this.#known.set(path === '' ? name : `${path}/${name}`, child);
        entries.push({ name, kind: child.kind });
      }
      if (path === '') {
        const onReadable = this.#onReadable;
        this.#onReadable = undefined;
        onReadable?.();
      }
      return entries;
    });
  }

  async stat(path: string): Promise<HostStats | null> {
    return this.#try(path, async () => {
      try {
        const handle = await this.#find(path);
        if (handle.kind === 'directory') return await this.#statDirectory(path);
        const { size, lastModified } = await (handle as FileSystemFileHandle).getFile();
        return { kind: 'file', size, mtimeMs: lastModified };
      } catch (error) {
        this.#forget(path);
        if (!isNamed(error, 'NotFoundError', 'TypeMismatchError')) throw error;
        return this.#statAnew(path);
      }
    });
  }

  async readFile(path: string): Promise<Uint8Array> {
    return this.#try(path, async () => {
      const file = await (await this.#file(path, false)).getFile();
      return new Uint8Array(await file.arrayBuffer());
    });
  }

  async writeFile(path: string, bytes: Uint8Array): Promise<void> {
    await this.#try(path, async () => {
      const file = await this.#file(path, true);
      const writable = await file.createWritable();
      try {
        // The cast is safe: the workspace never uses shared memory, which can't be written.
        await writable.write(bytes as Uint8Array<ArrayBuffer>);
        await writable.close();
      } catch (error) {
        await writable.abort().catch(() => undefined);
        throw error;
      }
    });
  }

  async mkdir(path: string): Promise<void> {
    await this.#try(path, async () => {
      const parent = await this.#directory(parentOf(path));
      this.#known.set(path, await parent.getDirectoryHandle(basename(path), { create: true }));
    });
  }

  async remove(path: string): Promise<void> {
    await this.#try(path, async () => {
      const parent = await this.#directory(parentOf(path));
      await parent.removeEntry(basename(path));
      this.#forget(path);
    });
  }

  watch(onChange: (paths: readonly string[] | null) => void): Disposable {
    const { FileSystemObserver } = globalThis as {
      readonly FileSystemObserver?: DirectoryObserverConstructor;
    };
    let isEnded = false;
    let observer: DirectoryObserver | undefined;
    let fallback: Disposable | undefined;
    const fallBack = () => {
      if (!isEnded) fallback ??= onFocus(() => onChange(null));
    };
    const hear = (changes: readonly ObservedChange[]) => {
      for (const { relativePathComponents, relativePathMovedFrom } of changes) {
        for (const names of [relativePathComponents, relativePathMovedFrom ?? []]) {
          this.#forget(names.join('/'));
        }
      }
      if (changes.some(({ type }) => type === 'errored')) lose();
      const paths = toPaths(changes);
      if (paths === null || paths.length > 0) onChange(paths);
    };
    const observe = async (Observer: DirectoryObserverConstructor) => {
      observer = new Observer(hear);
      await observer.observe(this.#root, { recursive: true });
      if (isEnded) observer.disconnect();
    };
    /**
     * The folder is gone or can't be read. This observer reports nothing any more, even if the
     * folder comes back.
     */
    const lose = () => {
      observer?.disconnect();
      fallBack();
      this.#onReadable = () => {
        if (isEnded || !FileSystemObserver) return;
        observe(FileSystemObserver).then(() => {
          fallback?.[Symbol.dispose]();
          fallback = undefined;
          // Reports changes that were made between reading the folder and observing it.
          onChange(null);
        }, lose);
      };
    };
    if (FileSystemObserver) observe(FileSystemObserver).catch(fallBack);
    else fallBack();
    return {
      [Symbol.dispose]() {
        isEnded = true;
        observer?.disconnect();
        fallback?.[Symbol.dispose]();
      },
    };
  }

  async #statDirectory(path: string): Promise<HostStats> {
    // A directory handle doesn't tell whether the directory still exists.
    const parent = await this.#directory(parentOf(path));
    this.#known.set(path, await parent.getDirectoryHandle(basename(path)));
    return { kind: 'directory' };
  }

  async #statAnew(path: string): Promise<HostStats | null> {
    try {
      const handle = await this.#find(path);
      if (handle.kind === 'directory') return { kind: 'directory' };
      const { size, lastModified } = await (handle as FileSystemFileHandle).getFile();
      return { kind: 'file', size, mtimeMs: lastModified };
    } catch (error) {
      this.#forget(path);
      if (isNamed(error, 'NotFoundError', 'TypeMismatchError')) return this.#requireRoot();
      throw error;
    }
  }

  /** A missing folder must not count as a folder whose files were all removed. */
  async #requireRoot(): Promise<null> {
    for await (const _ of this.#root.keys()) break;
    return null;
  }

  async #find(path: string): Promise<FileSystemHandle> {
    const known = this.#known.get(path);
    if (known) return known;
    const parent = await this.#directory(parentOf(path));
    const name = basename(path);
    const handle = await parent.getFileHandle(name).catch((error: unknown) => {
      if (isNamed(error, 'TypeMismatchError')) return parent.getDirectoryHandle(name);
      throw error;
    });
    this.#known.set(path, handle);
    return handle;
  }

  async #directory(path: string): Promise<FileSystemDirectoryHandle> {
    if (path === '') return this.#root;
    const known = this.#known.get(path);
    if (known?.kind === 'directory') return known as FileSystemDirectoryHandle;
    const parent = await this.#directory(parentOf(path));
    const handle = await parent.getDirectoryHandle(basename(path));
    this.#known.set(path, handle);
    return handle;
  }

  async #file(path: string, create: boolean): Promise<FileSystemFileHandle> {
    const parent = await this.#directory(parentOf(path));
    return parent.getFileHandle(basename(path), { create });
  }

  #forget(path: string): void {
    const isDirectory = this.#known.get(path)?.kind === 'directory';
    this.#known.delete(path);
    // Mostly files have changed, below which nothing is.
    if (!isDirectory) return;
    for (const known of this.#known.keys()) {
      if (known.startsWith(`${path}/`)) this.#known.delete(known);
    }
  }

  async #try<Value>(path: string, run: () => Promise<Value>): Promise<Value> {
    try {
      return await run();
    } catch (error) {
      throw toSdkError(error, this.name, path);
    }
  }
}

/** Returns the directory of a normalized path. The root's path is empty. */
function parentOf(path: string): string {
  const parent = dirname(`/${path}`);
  return parent === '/' ? '' : parent.slice(1);
}

function toPaths(changes: readonly ObservedChange[]): readonly string[] | null {
  const paths = new Set<string>();
  for (const { type, relativePathComponents, relativePathMovedFrom } of changes) {
    if (type === 'unknown' || type === 'errored') return null;
    for (const names of [relativePathComponents, relativePathMovedFrom ?? []]) {
      const path = names.join('/');
      if (path !== '' && !isSwapFile(path)) paths.add(path);
    }
  }
  return [...paths];
}

/** A worker has no focus events, so only `sync()` finds changes. */
function onFocus(listener: () => void): Disposable {
  const scope: Partial<Pick<EventTarget, 'addEventListener' | 'removeEventListener'>> = globalThis;
  scope.addEventListener?.('focus', listener);
  return { [Symbol.dispose]: () => scope.removeEventListener?.('focus', listener) };
}

function isNamed(error: unknown, ...names: readonly string[]): boolean {
  return error instanceof DOMException && names.includes(error.name);
}

function toSdkError(error: unknown, folder: string, path: string): unknown {
  if (SdkError.isInstance(error)) return error;
  const options = { cause: error, data: { path } };
  if (isNamed(error, 'NotAllowedError', 'SecurityError')) {
    const message =
      `The permission for the folder "${folder}" was withdrawn. What isn't written to it yet is in the workspace. ` +
      'Grant it again, then go on with sync().';
    return new SdkError('EACCES', message, options);
  }
  if (isNamed(error, 'QuotaExceededError')) {
    return new SdkError('ENOSPC', `There is no room for it in the folder "${folder}".`, options);
  }
  if (error instanceof TypeError) {
    const message = `no file of the folder "${folder}" can have the name ${JSON.stringify(basename(`/${path}`))}.`;
    return new SdkError('EINVAL', message, options);
  }
  if (isNamed(error, 'NoModificationAllowedError')) {
    return new SdkError('EBUSY', `another program has it open in the folder "${folder}".`, options);
  }
  if (isNamed(error, 'InvalidModificationError')) {
    const message = `the directory isn't empty in the folder "${folder}".`;
    return new SdkError('ENOTEMPTY', message, options);
  }
  if (isNamed(error, 'NotFoundError')) {
    return new SdkError(
      'ENOENT',
      `${path || folder} isn't there any more in the folder "${folder}".`,
      options,
    );
  }
  return error;
}
