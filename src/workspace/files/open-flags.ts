// Parses Node's flags of `open`.
import type { FsCall } from './access.ts';
import { fileConstants } from './file-options.ts';
import { createFsError } from './fs-error.ts';

/** The parsed flags of `open`. */
export interface OpenFlags {
  readonly read: boolean;
  readonly write: boolean;
  /** Every write goes to the end, whatever its position. */
  readonly append: boolean;
  /** Creates a missing file. */
  readonly create: boolean;
  /** Fails with `EEXIST` if anything exists there, even a dangling link. */
  readonly exclusive: boolean;
  /** Drops the existing content. */
  readonly truncate: boolean;
}

const reading = { read: true, write: false };
const writing = { read: false, write: true };
const both = { read: true, write: true };
const plain = { append: false, create: false, exclusive: false, truncate: false };
const fresh = { append: false, create: true, exclusive: false, truncate: true };
const added = { append: true, create: true, exclusive: false, truncate: false };

const canonical: ReadonlyMap<string, OpenFlags> = new Map<string, OpenFlags>([
  ['r', { ...reading, ...plain }],
  ['r+', { ...both, ...plain }],
  ['w', { ...writing, ...fresh }],
  ['w+', { ...both, ...fresh }],
  ['wx', { ...writing, ...fresh, exclusive: true }],
  ['wx+', { ...both, ...fresh, exclusive: true }],
  ['a', { ...writing, ...added }],
  ['a+', { ...both, ...added }],
  ['ax', { ...writing, ...added, exclusive: true }],
  ['ax+', { ...both, ...added, exclusive: true }],
]);

/** Letters may be in another order, as in Node. `s` (synchronous) has no effect. */
const aliases: ReadonlyMap<string, string> = new Map([
  ['rs', 'r'],
  ['sr', 'r'],
  ['rs+', 'r+'],
  ['sr+', 'r+'],
  ['xw', 'wx'],
  ['xw+', 'wx+'],
  ['xa', 'ax'],
  ['xa+', 'ax+'],
  ['as', 'a'],
  ['sa', 'a'],
  ['as+', 'a+'],
  ['sa+', 'a+'],
]);

/**
 * @throws SdkError `ERR_INVALID_ARG_VALUE` for flags that Node doesn't know or that have no meaning
 * here.
 */
export function parseOpenFlags(flags: unknown, usual: string, call: FsCall): OpenFlags {
  const given = flags ?? usual;
  const parsed =
    typeof given === 'number'
      ? fromNumber(given)
      : canonical.get(aliases.get(String(given)) ?? String(given));
  if (parsed) return parsed;
  throw createFsError('ERR_INVALID_ARG_VALUE', {
    ...call,
    message: `the flags '${String(given)}' are none of ${[...canonical.keys()].join(', ')}`,
  });
}

/** Returns `EBADF`, as for a descriptor whose flags don't allow the operation. */
export function notOpenedFor(what: 'reading' | 'writing', call: FsCall) {
  return createFsError('EBADF', { ...call, message: `the file wasn't opened for ${what}` });
}

function fromNumber(flags: number): OpenFlags | undefined {
  const { O_WRONLY, O_RDWR, O_CREAT, O_EXCL, O_TRUNC, O_APPEND } = fileConstants;
  const known = O_WRONLY | O_RDWR | O_CREAT | O_EXCL | O_TRUNC | O_APPEND;
  const access = flags & 3;
  if (!Number.isInteger(flags) || flags < 0 || (flags & ~known) !== 0 || access === 3) {
    return undefined;
  }
  const write = access !== 0;
  const [create, exclusive] = [(flags & O_CREAT) !== 0, (flags & O_EXCL) !== 0];
  const [truncate, append] = [(flags & O_TRUNC) !== 0, (flags & O_APPEND) !== 0];
  // Flags that create or truncate a file but only read it are refused.
  if (!write && (create || truncate || append)) return undefined;
  return {
    read: access !== O_WRONLY,
    write,
    append,
    create,
    exclusive: create && exclusive,
    truncate,
  };
}
