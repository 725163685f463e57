// The port to a store for large contents beside the log, such as a bucket. A medium may offer one.
// The writer puts contents there before the commit that names them. The log reads them and says
// which are needed.
import { SdkError } from '../../core/errors.ts';
import type { ReadFile } from './log-medium.ts';

/** Implemented by drivers (drivers/r2-contents.ts). A store belongs to one workspace. */
export interface ContentStore {
  /** Contents of at least so many bytes are put here. */
  readonly minBytes: number;
  /**
   * Stores the bytes. Resolves to a name once they can be read. Equal bytes may get the same name.
   * The bytes must not change meanwhile. Rejects with `EIO`, without losing anything, if the store
   * fails, doesn't answer, or has stored other bytes.
   */
  put(bytes: Uint8Array): Promise<string>;
  /**
   * Opens a content by its name. Each part is verified when it is read. `read` rejects with `EIO`
   * if the store fails, has lost the content, or returns other bytes. `readSync` throws
   * `unsupported-environment` if the content isn't cached locally.
   */
  file(name: string): ReadFile;
  /** True if there is nothing to sweep. */
  isEmpty(): boolean;
  /**
   * Tells which contents are needed. Contents that were unneeded for long enough are deleted, and
   * their names returned. A content that was just put is never deleted.
   */
  sweep(needed: ReadonlySet<string>): ReadonlySet<string>;
  /** Resolves when pending operations have ended. */
  close(): Promise<void>;
}

const namePattern = /^content-([0-9a-f]{64})-(\d+)$/;

/**
 * Returns the name of a content in a store, which can't be the name of a log file. Inverse: {@link
 * parseStoredName}.
 */
export function storedName(hash: string, id: number): string {
  return `content-${hash}-${id}`;
}

/** Returns null for any other name. */
export function parseStoredName(
  name: string,
): { readonly hash: string; readonly id: number } | null {
  const match = namePattern.exec(name);
  return match && { hash: match[1] ?? '', id: Number(match[2]) };
}

export function isStoredName(name: string): boolean {
  return name.startsWith('content-');
}

/** The error for a content in a store that this medium wasn't opened with. */
export function createNoStoreError(name: string): SdkError {
  return new SdkError(
    'EIO',
    "EIO: this file's bytes are in a bucket that isn't bound any more. Bind it again, by the option contents, as it " +
      'was when the file was written; nothing is lost.',
    { data: { name } },
  );
}
