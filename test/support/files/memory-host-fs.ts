// A mount's source in memory, for tests: a tree by paths, with a time that moves by one at each write. A person's
// changes outside don't use the port. Calls of the port can be made to fail.
import { SdkError } from '../../../src/core/errors.ts';
import type { HostEntry, HostFs, HostStats } from '../../../src/workspace/mounts/host-fs.ts';

type Node =
  | {
      readonly kind: 'file';
      readonly bytes: Uint8Array;
      readonly mtimeMs: number;
      readonly mode: number;
    }
  | { readonly kind: 'directory' }
  | { readonly kind: 'symlink'; readonly target: string };

export interface MemoryHostFs extends HostFs {
  /**
   * Writes like another program, and creates parent directories. Null removes the path and
   * everything below it.
   */
  change(path: string, content: string | Uint8Array | null): void;
  makeDirectory(path: string): void;
  /** Every file as text, every directory with a slash at its end, every link with an arrow. */
  list(): Record<string, string>;
  /** Tells the mount of a change. */
  tell(paths: readonly string[] | null): void;
  /** Called before each method. If it throws, the method rejects with that error. */
  before: (method: string, path: string) => void;
  readonly closed: number;
}

export interface MemoryHostFsOptions {
  readonly name?: string;
  readonly id?: string;
  readonly isReadOnly?: boolean;
  readonly keepsModes?: boolean;
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** True: names that differ only in case are the same file. */
  readonly foldsCase?: boolean;
}

export function createMemoryHostFs(options: MemoryHostFsOptions = {}): MemoryHostFs {
  const { name = 'disk', isReadOnly = false, keepsModes = false, files = {} } = options;
  const nodes = new Map<string, Node>();
  let now = 1000;
  let closed = 0;
  let listener: ((paths: readonly string[] | null) => void) | undefined;
  const keyOf = (path: string): string => {
    if (!options.foldsCase) return path;
    const at = path.lastIndexOf('/');
    const key = at < 0 ? path : keyOf(path.slice(0, at)) + path.slice(at);
    const lower = key.toLowerCase();
    return [...nodes.keys()].find((known) => known.toLowerCase() === lower) ?? key;
  };
  const toBytes = (content: string | Uint8Array) =>
    typeof content === 'string' ? new TextEncoder().encode(content) : content;
  const below = (path: string) =>
    [...nodes.keys()].filter((known) => path === '' || known.startsWith(`${path}/`));
  const put = (path: string, bytes: Uint8Array, mode: number) =>
    nodes.set(keyOf(path), { kind: 'file', bytes: bytes.slice(), mtimeMs: (now += 1), mode });
  const refuse = (code: 'ENOENT' | 'ENOTEMPTY', path: string) =>
    new SdkError(code, `${path} can't be taken.`);
  /** A port makes no directories by itself. */
  const requireParent = (path: string) => {
    const at = path.lastIndexOf('/');
    if (at < 0 || nodes.get(keyOf(path.slice(0, at)))?.kind === 'directory') return;
    throw refuse('ENOENT', path);
  };
  const source: MemoryHostFs = {
    name,
    ...(options.id !== undefined && { id: options.id }),
    isReadOnly,
    keepsModes,
    before: () => {},
    get closed() {
      return closed;
    },
    change(path, content) {
      if (content === null) {
        for (const known of [path, ...below(path)]) nodes.delete(known);
        return;
      }
      const names = path.split('/').slice(0, -1);
      names.forEach((_, n) => source.makeDirectory(names.slice(0, n + 1).join('/')));
      put(path, toBytes(content), 0o644);
    },
    makeDirectory: (path) => void nodes.set(path, { kind: 'directory' }),
    list: () =>
      Object.fromEntries(
        [...nodes]
          .sort(([left], [right]) => (left < right ? -1 : 1))
          .map(([path, node]) => {
            if (node.kind === 'directory') return [`${path}/`, ''];
            if (node.kind === 'symlink') return [path, `-> ${node.target}`];
            return [path, new TextDecoder().decode(node.bytes)];
          }),
      ),
    tell: (paths) => listener?.(paths),
    async readdir(path): Promise<readonly HostEntry[]> {
      source.before('readdir', path);
      const depth = path === '' ? 1 : path.split('/').length + 1;
      const children = below(keyOf(path)).filter((known) => known.split('/').length === depth);
      return children.map((child) => ({
        name: child.slice(child.lastIndexOf('/') + 1),
        kind: nodes.get(child)?.kind ?? 'file',
      }));
    },
    async stat(path): Promise<HostStats | null> {
      source.before('stat', path);
      const node = nodes.get(keyOf(path));
      if (node?.kind !== 'file') return node ?? null;
      const { bytes, mtimeMs, mode } = node;
      return { kind: 'file', size: bytes.length, mtimeMs, ...(keepsModes && { mode }) };
    },
    async readFile(path) {
      source.before('readFile', path);
      const node = nodes.get(keyOf(path));
      if (node?.kind !== 'file') throw refuse('ENOENT', path);
      return node.bytes.slice();
    },
    async writeFile(path, bytes, { mode }) {
      source.before('writeFile', path);
      requireParent(path);
      put(path, bytes, mode);
    },
    async mkdir(path) {
      source.before('mkdir', path);
      requireParent(path);
      nodes.set(keyOf(path), { kind: 'directory' });
    },
    async remove(path) {
      source.before('remove', path);
      if (below(keyOf(path)).length > 0) throw refuse('ENOTEMPTY', path);
      nodes.delete(keyOf(path));
    },
    watch(onChange) {
      listener = onChange;
      return { [Symbol.dispose]: () => (listener = undefined) };
    },
    async close() {
      closed += 1;
    },
  };
  for (const [path, content] of Object.entries(files)) source.change(path, content);
  return source;
}
