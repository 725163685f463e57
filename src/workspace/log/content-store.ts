// The port to a place beside the log that keeps large contents under names: a bucket. A medium that has one offers it.
// The writer puts contents there before the commit that names them; the log reads them, and says which are needed.
import { SdkError } from '../../core/errors.ts';
import type { ReadFile } from './log-medium.ts';

/** Drivers implement it (drivers/r2-contents.ts). What it keeps is one workspace's alone. */
export interface ContentStore {
  /** Contents of so many bytes, and more, are put here. */
  readonly minBytes: number;
  /**
   * Resolves with its name once it can be read again. Equal bytes may have one name. The bytes don't change meanwhile.
   * Rejects with `EIO`, and nothing is lost, where the place fails, is silent, or keeps other bytes.
   */
  put(bytes: Uint8Array): Promise<string>;
  /**
   * A content by its name. Each part that is read was checked. `read` rejects with `EIO` where the place fails, has lost
   * it, or gives other bytes; `readSync` throws `unsupported-environment` for what isn't here.
   */
  file(name: string): ReadFile;
  /** Is there anything to be swept? */
  isEmpty(): boolean;
  /**
   * Says which contents are needed. Others are deleted when they were found unneeded for long enough: these are
   * returned, and no longer there. Nothing that was just put is among them.
   */
  sweep(needed: ReadonlySet<string>): ReadonlySet<string>;
  /** Resolves when what was begun has ended. */
  close(): Promise<void>;
}

const namePattern = /^content-([0-9a-f]{64})-(\d+)$/;

/** Names of contents in a store; no file of the log is named so. Inverse: {@link parseStoredName}. */
export function storedName(hash: string, id: number): string {
  return `content-${hash}-${id}`;
}

/** Null for what is no such name. */
export function parseStoredName(
  name: string,
): { readonly hash: string; readonly id: number } | null {
  const match = namePattern.exec(name);
  return match && { hash: match[1] ?? '', id: Number(match[2]) };
}

export function isStoredName(name: string): boolean {
  return name.startsWith('content-');
}

/** For a content in a store that this medium wasn't opened with. */
export function createNoStoreError(name: string): SdkError {
  return new SdkError(
    'EIO',
    "EIO: this file's bytes are in a bucket that isn't bound any more. Bind it again, by the option contents, as it " +
      'was when the file was written; nothing is lost.',
    { data: { name } },
  );
}
