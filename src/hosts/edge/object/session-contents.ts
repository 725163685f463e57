// The large files of a session's object that are stored in a bucket, and the deletion of those that
// nothing needs. Used by create-session-object.ts.
import type { ConnectionGate } from '../../../core/async/connection-gate.ts';
import { SdkError, hasCode } from '../../../core/errors.ts';
import { askBucket } from '../../../workspace/drivers/ask-bucket.ts';
import { dropCachedContents, totalContents } from '../../../workspace/drivers/content-table.ts';
import type { DurableStorage } from '../../../workspace/drivers/do-sqlite.ts';
import {
  checkR2Contents,
  deleteR2Contents,
  weekMs,
  type ContentsBucket,
  type R2ContentsOptions,
} from '../../../workspace/drivers/r2-contents.ts';
import { openEdgeWorkspace } from '../create-edge-host.ts';
import { isArchived } from '../is-archived.ts';
import { createStorageLease } from './storage-lease.ts';

/**
 * The bucket of a session's large files. Its keys begin with `rockpool/contents/` and the object's
 * id.
 */
export type SessionContentsOptions = Omit<R2ContentsOptions, 'prefix' | 'gate'>;

/** The large files of one session. */
export interface SessionContents {
  /** The options for opening the workspace. */
  readonly options: R2ContentsOptions;
  /**
   * The bytes in the bucket that aren't also in the database's cache. The database's size includes
   * the cache.
   */
  bytes(): number;
  /** When some contents may have been unneeded for long enough. Undefined: there are none. */
  sweepAt(): number | undefined;
  /** Opens the workspace alone, which deletes due contents. True: there is more to delete later. */
  sweep(): Promise<boolean>;
  /** Call it when the session is archived, because its database is emptied. */
  dropCache(): void;
  /**
   * Call it for a session that is deleted. No uploads start afterwards. Running uploads finish,
   * then everything is removed. Rejects with `EIO`; uploads are allowed again then.
   */
  remove(): Promise<void>;
}

/** @throws SdkError `bad-usage` if the value isn't a bucket, or an option is invalid */
export function createSessionContents(
  storage: DurableStorage,
  given: SessionContentsOptions,
  { id, gate }: { readonly id: string; readonly gate: ConnectionGate },
): SessionContents {
  const wanted: R2ContentsOptions = { ...given, prefix: `rockpool/contents/${id}/`, gate };
  checkR2Contents(wanted);
  /** Running uploads, including those that their writer has given up: they may succeed later. */
  const onTheirWay = new Set<Promise<unknown>>();
  let isRemoved = false;
  const bucket: ContentsBucket = {
    async put(key, bytes, how) {
      if (isRemoved) throw new SdkError('EFENCED', 'The session is being deleted.');
      const put = given.bucket.put(key, bytes, how);
      onTheirWay.add(put);
      try {
        return await put;
      } finally {
        onTheirWay.delete(put);
      }
    },
    get: (key, how) => given.bucket.get(key, how),
    delete: (keys) => given.bucket.delete(keys),
  };
  const options = { ...wanted, bucket };
  return {
    options,
    bytes: () => totalContents(storage).bytes,
    sweepAt() {
      if (totalContents(storage).count === 0) return undefined;
      return Date.now() + (options.keepMs ?? weekMs);
    },
    async sweep() {
      // The archive needs all of them.
      if (isArchived(storage)) return false;
      const lease = createStorageLease(storage);
      try {
        const { workspace } = await openEdgeWorkspace(lease.storage, options);
        await workspace[Symbol.asyncDispose]();
      } catch (error) {
        // The session is used again, and its own opening looks for unneeded contents.
        if (!hasCode(error, 'EFENCED')) throw error;
      } finally {
        lease.end();
      }
      return totalContents(storage).unused > 0;
    },
    dropCache: () => dropCachedContents(storage),
    async remove() {
      isRemoved = true;
      try {
        const asked = { whose: "the large files'", what: 'take what is on its way' };
        await askBucket(asked, Promise.allSettled(onTheirWay));
        await deleteR2Contents(storage, options);
      } catch (error) {
        isRemoved = false;
        throw error;
      }
    },
  };
}
