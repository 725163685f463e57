// What the suites of the file-system contract are given, and how they ask for an error's code.
import type { FileSystem } from '../../src/workspace/files/file-system.ts';

/** What Node's `fs.promises` has too: the half of the contract that is held against it. */
export type NodeHalf = Omit<
  FileSystem,
  'openPath' | 'readPart' | 'writePart' | 'readMany' | 'walk'
>;

export interface FileSystemSubject<Fs = FileSystem> {
  readonly fs: Fs;
  /** An empty directory, absolute and real. All that a suite does stays in it. */
  readonly root: string;
}

/** What an adapter can't do, and refuses. */
export interface ContractLimits {
  /** Functions don't cross to a worker: `cp` refuses a filter. */
  readonly refusesFilters?: boolean;
}

/** The code that an operation fails with; `undefined` when it succeeds. */
export async function codeOf(operation: Promise<unknown>): Promise<string | undefined> {
  try {
    await operation;
    return undefined;
  } catch (error) {
    return String((error as { code?: unknown }).code);
  }
}
