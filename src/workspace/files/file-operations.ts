// The table of file system operations. The file systems of the writer and the page follow from it. So do the messages
// that the FS worker accepts, the form of its answers, and the guard of read-only mounts.
import type { FileSystem } from './file-system.ts';

/** What a parameter may be. The operation checks the values of options. */
export type ParameterKind =
  'text' | 'texts' | 'data' | 'number' | 'time' | 'flags' | 'mode' | 'position' | 'options';

/** One row of the table. */
export interface FileOperationRow {
  readonly takes: readonly ParameterKind[];
  /** How many of them are required. */
  readonly required: number;
  /** Which of its parameters are paths that it changes. Left out: it commits nothing. */
  readonly changes?: readonly number[];
  /** The operation includes all below a path. */
  readonly isWhole?: true;
  /** What it gives where that has methods or errors, which a message can't carry. */
  readonly gives?: 'stats' | 'entries' | 'contents';
}

/** All but `open` and `watch`, which are made of these. */
export const fileOperations = {
  // (One that is told to write by its flag is done again at no harm.)
  readFile: { takes: ['text', 'options'], required: 1 },
  writeFile: { takes: ['text', 'data', 'options'], required: 2, changes: [0] },
  appendFile: { takes: ['text', 'data', 'options'], required: 2, changes: [0] },
  openPath: { takes: ['text', 'flags', 'mode'], required: 1, changes: [0] },
  readPart: { takes: ['text', 'number', 'number'], required: 2 },
  writePart: { takes: ['text', 'position', 'data'], required: 3, changes: [0] },
  access: { takes: ['text', 'number'], required: 1 },
  stat: { takes: ['text'], required: 1, gives: 'stats' },
  lstat: { takes: ['text'], required: 1, gives: 'stats' },
  readdir: { takes: ['text', 'options'], required: 1, gives: 'entries' },
  mkdir: { takes: ['text', 'options'], required: 1, changes: [0] },
  mkdtemp: { takes: ['text', 'options'], required: 1, changes: [0] },
  rm: { takes: ['text', 'options'], required: 1, changes: [0], isWhole: true },
  rmdir: { takes: ['text'], required: 1, changes: [0] },
  unlink: { takes: ['text'], required: 1, changes: [0] },
  rename: { takes: ['text', 'text'], required: 2, changes: [0, 1], isWhole: true },
  copyFile: { takes: ['text', 'text', 'number'], required: 2, changes: [1] },
  cp: { takes: ['text', 'text', 'options'], required: 2, changes: [1] },
  realpath: { takes: ['text', 'options'], required: 1 },
  readlink: { takes: ['text', 'options'], required: 1 },
  symlink: { takes: ['text', 'text'], required: 2, changes: [1] },
  link: { takes: ['text', 'text'], required: 2, changes: [1] },
  chmod: { takes: ['text', 'mode'], required: 2, changes: [0] },
  utimes: { takes: ['text', 'time', 'time'], required: 3, changes: [0] },
  lutimes: { takes: ['text', 'time', 'time'], required: 3, changes: [0] },
  truncate: { takes: ['text', 'number'], required: 1, changes: [0] },
  readMany: { takes: ['texts', 'options'], required: 1, gives: 'contents' },
  walk: { takes: ['text', 'options'], required: 1 },
} as const satisfies Record<Exclude<keyof FileSystem, 'open' | 'watch'>, FileOperationRow>;

/** The closed list of what may be asked by name. */
export type FileOperation = keyof typeof fileOperations;

export function rowOf(operation: FileOperation): FileOperationRow {
  return fileOperations[operation];
}

/** Each operation, done by `perform`: in a worker, on a draft. The casts are its own: it gives what the operation does. */
export function createFileFace(
  perform: (operation: FileOperation, parameters: readonly unknown[]) => Promise<unknown>,
): Pick<FileSystem, FileOperation> {
  const names = Object.keys(fileOperations) as FileOperation[];
  const methods = names.map((operation) => [
    operation,
    async (...parameters: readonly unknown[]) => perform(operation, parameters),
  ]);
  return Object.fromEntries(methods) as Pick<FileSystem, FileOperation>;
}

/** Calls one of them; the parameters are the caller's to check. */
export function callOperation(
  fs: Pick<FileSystem, FileOperation>,
  operation: FileOperation,
  parameters: readonly unknown[],
): Promise<unknown> {
  const call = fs[operation] as (...all: readonly unknown[]) => Promise<unknown>;
  return call.apply(fs, [...parameters]);
}
