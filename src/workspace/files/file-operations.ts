// The table of file system operations. From it follow the file systems of the writer and of the
// page, the messages that the FS worker accepts, the form of its answers, and the guard of
// read-only mounts.
import type { FileSystem } from './file-system.ts';

/** The type of a parameter. The operation itself validates the values of options. */
export type ParameterKind =
  'text' | 'texts' | 'data' | 'number' | 'time' | 'flags' | 'mode' | 'position' | 'options';

/** One row of the table. */
export interface FileOperationRow {
  readonly takes: readonly ParameterKind[];
  /** The number of required parameters. */
  readonly required: number;
  /** The indexes of the parameters that are paths it changes. Left out: it commits nothing. */
  readonly changes?: readonly number[];
  /** Set if the operation includes everything below a path. */
  readonly isWhole?: true;
  /** What it returns if that has methods or errors, which a message can't carry. */
  readonly gives?: 'stats' | 'entries' | 'contents';
}

/** All operations except `open` and `watch`, which are built from these. */
export const fileOperations = {
  // (With a flag that writes, repeating it does no harm.)
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

/** The operations that may be requested by name. */
export type FileOperation = keyof typeof fileOperations;

export function rowOf(operation: FileOperation): FileOperationRow {
  return fileOperations[operation];
}

/**
 * Creates functions for all operations, each carried out by `perform`: in a worker, or on a draft.
 * The casts are safe, because each returns what its operation does.
 */
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

/** Calls an operation. The caller must have validated the parameters. */
export function callOperation(
  fs: Pick<FileSystem, FileOperation>,
  operation: FileOperation,
  parameters: readonly unknown[],
): Promise<unknown> {
  const call = fs[operation] as (...all: readonly unknown[]) => Promise<unknown>;
  return call.apply(fs, [...parameters]);
}
