// Says whether a Durable Object's session is in a bucket, and refuses to take its empty database for a new one. Used by
// whoever opens the workspace, also where no archive is bound.
import { SdkError } from '../../core/errors.ts';
import type { DurableStorage } from '../../workspace/drivers/do-sqlite.ts';

/** Its rows are in the bucket of `archive`, and not here. Makes no table. */
export function isArchived({ sql }: DurableStorage): boolean {
  const find = "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'rockpool_archive'";
  if (sql.exec(find).toArray().length === 0) return false;
  return sql.exec('SELECT one FROM rockpool_archive WHERE one = 1').toArray().length > 0;
}

/** @throws SdkError `bad-usage` for a session that is archived. */
export function requireNotArchived(storage: DurableStorage): void {
  if (!isArchived(storage)) return;
  throw new SdkError(
    'bad-usage',
    'The session is archived, and the bucket that has it is not bound: give createSessionObject its archive again, { bucket: env.ARCHIVE }. Nothing is lost.',
    { data: { missing: 'archive' } },
  );
}
