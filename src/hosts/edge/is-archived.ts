// Tells whether a Durable Object's session is archived, so that its empty database isn't taken for
// a new session. Used by all code that opens the workspace, also if no archive is bound.
import { SdkError } from '../../core/errors.ts';
import type { DurableStorage } from '../../workspace/drivers/do-sqlite.ts';

/** True if its rows are in the bucket of `archive`. Creates no table. */
export function isArchived({ sql }: DurableStorage): boolean {
  const find = "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'rockpool_archive'";
  if (sql.exec(find).toArray().length === 0) return false;
  return sql.exec('SELECT one FROM rockpool_archive WHERE one = 1').toArray().length > 0;
}

/** @throws SdkError `bad-usage` if the session is archived */
export function requireNotArchived(storage: DurableStorage): void {
  if (!isArchived(storage)) return;
  throw new SdkError(
    'bad-usage',
    'The session is archived, and the bucket that has it is not bound: give createSessionObject its archive again, { bucket: env.ARCHIVE }. Nothing is lost.',
    { data: { missing: 'archive' } },
  );
}
