// Runs one file operation that the page asked for by name. Security: the parameters came in a
// message, so each is checked against the operation's own list before anything is called.
import { SdkError } from '../../../core/errors.ts';
import type { FileSystem } from '../../../workspace/files/file-system.ts';
import type { FileSystemOperation } from './protocol.ts';

type Kind =
  'text' | 'texts' | 'data' | 'number' | 'time' | 'flags' | 'mode' | 'position' | 'options';

/** The kinds of each operation's parameters, in order, and how many of them are required. */
const signatures: Record<FileSystemOperation, readonly [required: number, ...kinds: Kind[]]> = {
  readFile: [1, 'text', 'options'],
  writeFile: [2, 'text', 'data', 'options'],
  appendFile: [2, 'text', 'data', 'options'],
  openPath: [1, 'text', 'flags', 'mode'],
  readPart: [2, 'text', 'number', 'number'],
  writePart: [3, 'text', 'position', 'data'],
  access: [1, 'text', 'number'],
  stat: [1, 'text'],
  lstat: [1, 'text'],
  readdir: [1, 'text', 'options'],
  mkdir: [1, 'text', 'options'],
  mkdtemp: [1, 'text', 'options'],
  rm: [1, 'text', 'options'],
  rmdir: [1, 'text'],
  unlink: [1, 'text'],
  rename: [2, 'text', 'text'],
  copyFile: [2, 'text', 'text', 'number'],
  cp: [2, 'text', 'text', 'options'],
  realpath: [1, 'text', 'options'],
  readlink: [1, 'text', 'options'],
  symlink: [2, 'text', 'text'],
  link: [2, 'text', 'text'],
  chmod: [2, 'text', 'mode'],
  utimes: [3, 'text', 'time', 'time'],
  lutimes: [3, 'text', 'time', 'time'],
  truncate: [1, 'text', 'number'],
  readMany: [1, 'texts', 'options'],
  walk: [1, 'text', 'options'],
};

const isText = (value: unknown) => typeof value === 'string';
const isNumber = (value: unknown) => typeof value === 'number';
const isTextOrNumber = (value: unknown) => isText(value) || isNumber(value);

const checks: Record<Kind, (value: unknown) => boolean> = {
  text: isText,
  texts: (value) => Array.isArray(value) && value.every(isText),
  data: (value) => isText(value) || ArrayBuffer.isView(value),
  number: isNumber,
  time: (value) => isTextOrNumber(value) || value instanceof Date,
  flags: (value) => value === null || isTextOrNumber(value),
  mode: (value) => value === null || isTextOrNumber(value),
  position: (value) => value === 'end' || isNumber(value),
  // An encoding or a mode may stand for the options that hold it; the operation checks their values.
  options: (value) => value === null || isTextOrNumber(value) || typeof value === 'object',
};

/** What the operation takes, where the parameters don't fit it. Both ends ask. */
export function findMisfit(
  operation: FileSystemOperation,
  parameters: readonly unknown[],
): string | undefined {
  const [required, ...kinds] = signatures[operation];
  const isWrong = parameters.some((value, at) => {
    const kind = kinds[at];
    const isLeftOut = value === undefined && at >= required;
    return !isLeftOut && (kind === undefined || !checks[kind](value));
  });
  const fits = !isWrong && parameters.length >= required;
  return fits ? undefined : `fs.${operation} takes (${kinds.join(', ')})`;
}

/** @throws SdkError `invalid-input` for parameters that the operation doesn't take. */
export async function callFileSystem(
  fs: FileSystem,
  operation: FileSystemOperation,
  parameters: readonly unknown[],
): Promise<unknown> {
  const misfit = findMisfit(operation, parameters);
  if (misfit !== undefined) {
    throw new SdkError('invalid-input', `${misfit}.`, { data: { operation } });
  }
  // The list above is the type check: one operation's parameters, whichever it is.
  const call = fs[operation] as (...all: readonly unknown[]) => Promise<unknown>;
  return call.apply(fs, [...parameters]);
}
