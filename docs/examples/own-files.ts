import { SdkError } from 'rockpool';
import type { HostEntry, HostFs, HostStats } from 'rockpool/inline';

interface OwnFile {
  readonly bytes: Uint8Array;
  readonly mtimeMs: number;
}

/** A flat folder of a host's own: what mounting it takes, over nothing but a Map. */
export class OwnFiles implements HostFs {
  readonly name = 'notes';
  readonly #files = new Map<string, OwnFile>();
  #changed: (paths: readonly string[]) => void = () => {};

  /** As somebody outside: the mount is told. */
  put(path: string, text: string): void {
    this.#files.set(path, { bytes: new TextEncoder().encode(text), mtimeMs: Date.now() });
    this.#changed([path]);
  }

  text(path: string): string {
    return new TextDecoder().decode(this.#files.get(path)?.bytes);
  }

  async readdir(path: string): Promise<readonly HostEntry[]> {
    return path === '' ? [...this.#files.keys()].map((name) => ({ name, kind: 'file' })) : [];
  }

  async stat(path: string): Promise<HostStats | null> {
    const file = this.#files.get(path);
    return file ? { kind: 'file', size: file.bytes.length, mtimeMs: file.mtimeMs } : null;
  }

  async readFile(path: string): Promise<Uint8Array> {
    return this.#files.get(path)?.bytes.slice() ?? new Uint8Array();
  }

  async writeFile(path: string, bytes: Uint8Array): Promise<void> {
    this.#files.set(path, { bytes: bytes.slice(), mtimeMs: Date.now() });
  }

  /** What it can't take it refuses: `EINVAL` is about this path, and the others go on. */
  async mkdir(path: string): Promise<void> {
    throw new SdkError('EINVAL', `there are no folders among notes, as ${path} is.`);
  }

  async remove(path: string): Promise<void> {
    this.#files.delete(path);
  }

  watch(onChange: (paths: readonly string[]) => void): Disposable {
    this.#changed = onChange;
    return { [Symbol.dispose]: () => (this.#changed = () => {}) };
  }
}
