// Runs one file operation that the page asked for by name. Security: the parameters came in a
// message, so each is checked against the operation's own list before anything is called.
import { SdkError } from '../../core/errors.ts';
import type { FileSystem } from '../../workspace/file-system.ts';
import type { FileSystemOperation } from './protocol.ts';

type Kind = 'text' | 'texts' | 'data' | 'number' | 'time' | 'options';

/** The kinds of each operation's parameters, in order, and how many of them are required. */
const signatures: Record<FileSystemOperation, readonly [required: number, ...kinds: Kind[]]> = {
  readFile: [1, 'text', 'options'],
  writeFile: [2, 'text', 'data'],
  appendFile: [2, 'text', 'data'],
  access: [1, 'text'],
  stat: [1, 'text'],
  lstat: [1, 'text'],
  readdir: [1, 'text', 'options'],
  mkdir: [1, 'text', 'options'],
  mkdtemp: [1, 'text'],
  rm: [1, 'text', 'options'],
  rmdir: [1, 'text'],
  unlink: [1, 'text'],
  rename: [2, 'text', 'text'],
  copyFile: [2, 'text', 'text'],
  cp: [2, 'text', 'text', 'options'],
  realpath: [1, 'text'],
  readlink: [1, 'text'],
  symlink: [2, 'text', 'text'],
  chmod: [2, 'text', 'number'],
  utimes: [3, 'text', 'time', 'time'],
  truncate: [1, 'text', 'number'],
  readMany: [1, 'texts'],
  walk: [1, 'text', 'options'],
};

const checks: Record<Kind, (value: unknown) => boolean> = {
  text: (value) => typeof value === 'string',
  texts: (value) => Array.isArray(value) && value.every((each) => typeof each === 'string'),
  data: (value) => typeof value === 'string' || value instanceof Uint8Array,
  number: (value) => typeof value === 'number',
  time: (value) => typeof value === 'number' || value instanceof Date,
  // An encoding may stand for the options that hold it.
  options: (value) => value === null || typeof value === 'string' || typeof value === 'object',
};

/** @throws SdkError `invalid-input` for parameters that the operation doesn't take. */
export async function callFileSystem(
  fs: FileSystem,
  operation: FileSystemOperation,
  parameters: readonly unknown[],
): Promise<unknown> {
  const [required, ...kinds] = signatures[operation];
  const isWrong = parameters.some((value, at) => {
    const kind = kinds[at];
    const isLeftOut = value === undefined && at >= required;
    return !isLeftOut && (kind === undefined || !checks[kind](value));
  });
  if (isWrong || parameters.length < required) {
    throw new SdkError('invalid-input', `fs.${operation} takes (${kinds.join(', ')}).`, {
      data: { operation },
    });
  }
  // The list above is the type check: one operation's parameters, whichever it is.
  const call = fs[operation] as (...all: readonly unknown[]) => Promise<unknown>;
  return call.apply(fs, [...parameters]);
}
