// File operations as data, and their answers. For a test that compares two file systems by the same operations.
import fc from 'fast-check';
import type { NodeHalf } from '../../contract/file-system-subject.ts';

type Options = Readonly<Record<string, unknown>>;

/** One call of the port. */
export interface FileOperation {
  readonly method: string;
  readonly places: readonly Place[];
  readonly options: Options;
  /** The steps with an open file, in order. */
  readonly steps: readonly HandleStep[];
}

/** A path below the root, or below the n-th existing path (modulo their number). */
interface Place {
  readonly behind: number | undefined;
  readonly path: string;
}

interface HandleStep {
  readonly type: 'read' | 'write' | 'text' | 'truncate' | 'readFile' | 'writeFile' | 'stat';
  readonly size: number;
  readonly position: number | null;
}

/** A tree as plain data: content or target, mode, and the time if it was set. By path. */
export type ShownTree = Record<string, readonly [content: unknown, mode: number, time: unknown]>;

const name = fc.constantFrom('a', 'b', 'c');
const names = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
const ending = fc.constantFrom('/', '/.', '//', '/./', '/..', '/../', '/../a', '/a/../b');
const place: fc.Arbitrary<Place> = fc.record({
  behind: fc.option(fc.nat({ max: 40 }), { nil: undefined }),
  path: fc.oneof(
    { weight: 5, arbitrary: fc.constant('') },
    { weight: 4, arbitrary: names.map((path) => `/${path}`) },
    { weight: 1, arbitrary: ending },
  ),
});
/** Never two steps up, because a link must not lead above the root, where this test may not write. */
const target = fc.oneof(
  names,
  names.map((path) => `../${path}`),
  names.map((path) => `<root>/${path}`),
  fc.constantFrom('.', './a/', 'nowhere'),
);
const flag = fc.constantFrom('r', 'r+', 'w', 'w+', 'wx', 'wx+', 'a', 'a+', 'ax');
// The owner always has all rights, so that tests behave the same as root.
const mode = fc.constantFrom(0o700, 0o755, 0o777, '744');
const size = fc.nat({ max: 9 });

const step: fc.Arbitrary<HandleStep> = fc.record({
  type: fc.constantFrom('read', 'write', 'text', 'truncate', 'readFile', 'writeFile', 'stat'),
  size,
  position: fc.option(fc.nat({ max: 12 })),
});

/** Methods with their weight, how many paths they take, and the options, each of which may be missing. */
const methods: readonly [
  weight: number,
  method: string,
  places: number,
  options?: Record<string, fc.Arbitrary<unknown>>,
][] = [
  [4, 'writeFile', 1, { flag, mode }],
  [4, 'mkdir', 1, { recursive: fc.boolean(), mode }],
  [4, 'symlink', 1, { target }],
  [6, 'rename', 2],
  [
    8,
    'cp',
    2,
    {
      recursive: fc.constantFrom(true, true, false),
      force: fc.boolean(),
      errorOnExist: fc.boolean(),
      dereference: fc.boolean(),
      preserveTimestamps: fc.boolean(),
      verbatimSymlinks: fc.boolean(),
    },
  ],
  [2, 'rm', 1, { recursive: fc.boolean(), force: fc.boolean() }],
  [4, 'open', 1, { flag, mode }],
  [2, 'appendFile', 1, { flag, mode }],
  [2, 'readFile', 1, { flag, encoding: fc.constantFrom('utf8', 'hex', 'latin1') }],
  [2, 'truncate', 1, { size }],
  [2, 'copyFile', 2, { mode: fc.constantFrom(0, 1) }],
  [2, 'link', 2],
  [1, 'unlink', 1],
  [1, 'rmdir', 1],
  [1, 'chmod', 1, { mode }],
  [1, 'utimes', 1, { size }],
  [1, 'lutimes', 1, { size }],
  [1, 'access', 1, { size: fc.nat({ max: 7 }) }],
  [1, 'stat', 1],
  [1, 'lstat', 1],
  [1, 'readdir', 1, { recursive: fc.boolean() }],
  [1, 'realpath', 1],
  [1, 'readlink', 1],
];

export const fileOperation: fc.Arbitrary<FileOperation> = fc.oneof(
  ...methods.map(([weight, method, count, options = {}]) => ({
    weight,
    arbitrary: fc.record({
      method: fc.constant(method),
      places: fc.array(place, { minLength: count, maxLength: count }),
      options: fc.record(options, { requiredKeys: [] }) as fc.Arbitrary<Options>,
      steps: method === 'open' ? fc.array(step, { maxLength: 5 }) : fc.constant([]),
    }),
  })),
);

/** The paths of an operation on this tree. */
export function pathsOf({ places }: FileOperation, root: string, tree: ShownTree): string[] {
  const there = Object.keys(tree);
  return places.map(({ behind, path }) => {
    const picked = behind === undefined ? undefined : there[behind % there.length];
    return root + (picked === undefined ? path || '/a' : `/${picked}${path}`);
  });
}

/** Runs the operation. Returns its answer as plain data. */
export async function operate(
  fs: NodeHalf,
  root: string,
  { method, options, steps }: FileOperation,
  [at = '', to = '']: readonly string[],
): Promise<unknown> {
  const number = options['size'] as number;
  switch (method) {
    case 'writeFile':
    case 'appendFile':
      return fs[method](at, `${method} ${at.slice(root.length)}`, options);
    case 'symlink':
      return fs.symlink(String(options['target'] ?? 'a').replace('<root>', root), at);
    case 'rename':
    case 'link':
      return fs[method](at, to);
    case 'cp':
      return fs.cp(at, to, options);
    case 'copyFile':
    case 'mkdir':
    case 'rm':
      return method === 'copyFile'
        ? fs.copyFile(at, to, options['mode'] as number)
        : fs[method](at, options);
    case 'readFile':
      return fs.readFile(at, { encoding: 'utf8', ...options });
    case 'truncate':
      return fs.truncate(at, number);
    case 'unlink':
    case 'rmdir':
    case 'realpath':
    case 'readlink':
      return fs[method](at);
    case 'chmod':
      return fs.chmod(at, (options['mode'] ?? 0o755) as number);
    case 'utimes':
    case 'lutimes':
      return fs[method](at, 0, number ?? 0);
    case 'access':
      return fs.access(at, number);
    case 'stat':
    case 'lstat': {
      const stats = await fs[method](at);
      return [stats.mode, !stats.isDirectory() && stats.size];
    }
    case 'readdir': {
      // Reads entries instead of names: with names Node would also list what is behind a link.
      const entries = await fs.readdir(at, { ...options, withFileTypes: true });
      return entries.map((entry) => [entry.name, entry.isDirectory()].join()).sort();
    }
    case 'open':
      return workWith(await fs.open(at, flagOf(options), options['mode'] as number), steps);
    default:
      throw new TypeError(`There is no operation ${method}.`);
  }
}

const flagOf = (options: Options) => options['flag'] as 'r' | undefined;

type Handle = Awaited<ReturnType<NodeHalf['open']>>;

async function workWith(handle: Handle, steps: readonly HandleStep[]): Promise<unknown> {
  const answers: unknown[] = [];
  for (const one of steps) {
    try {
      answers.push(await takeStep(handle, one));
    } catch (error) {
      answers.push((error as { code: unknown }).code);
    }
  }
  await handle.close();
  return answers;
}

async function takeStep(handle: Handle, one: HandleStep): Promise<unknown> {
  const { type, size: length, position } = one;
  switch (type) {
    case 'read': {
      const buffer = new Uint8Array(10);
      const { bytesRead } = await handle.read(buffer, 1, length, position);
      return [bytesRead, ...buffer];
    }
    case 'write': {
      const buffer = new Uint8Array(10).fill(120);
      return (await handle.write(buffer, 1, length, position)).bytesWritten;
    }
    case 'text':
      return (await handle.write('ü'.repeat(length), position)).bytesWritten;
    case 'truncate':
      return handle.truncate(length);
    case 'readFile':
      return handle.readFile('latin1');
    case 'writeFile':
      return handle.writeFile('y'.repeat(length));
    case 'stat': {
      const stats = await handle.stat();
      return stats.isFile() && stats.size;
    }
  }
}

/**
 * All below a directory. A time counts only if an operation has set it (to 1970) and the file isn't empty. Libuv also
 * copies the time, but then changes it by writing.
 */
export async function readTree(fs: NodeHalf, root: string): Promise<ShownTree> {
  const tree: ShownTree = {};
  const entries = await fs.readdir(root, { recursive: true, withFileTypes: true });
  for (const at of entries.map((entry) => `${entry.parentPath}/${entry.name}`).sort()) {
    const stats = await fs.lstat(at);
    const isTimed = !stats.isDirectory() && stats.size > 0 && stats.mtimeMs < 10_000;
    const time = isTimed && stats.mtimeMs;
    const content = stats.isFile()
      ? await fs.readFile(at, 'latin1')
      : stats.isSymbolicLink() && (await fs.readlink(at));
    tree[at.slice(root.length + 1)] = [content, stats.mode, time];
  }
  return tree;
}

/** Writes the tree that was read to an empty directory. */
export async function writeTree(fs: NodeHalf, root: string, tree: ShownTree): Promise<void> {
  for (const [path, [content, bits, time]] of Object.entries(tree)) {
    const at = `${root}/${path}`;
    if (content === false) await fs.mkdir(at);
    else if ((bits & 0o170000) === 0o120000) await fs.symlink(String(content), at);
    else await fs.writeFile(at, String(content), 'latin1');
    if (typeof time === 'number') await fs.lutimes(at, 0, time / 1000);
    if ((bits & 0o170000) !== 0o120000) await fs.chmod(at, bits & 0o7777);
  }
}
