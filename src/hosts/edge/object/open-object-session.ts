// Opens the session of an object on its host: the one that the record names, or the one that /clear
// has begun in its place. Used by create-session-object.ts.
import type { Host } from '../../../agent/host.ts';
import { hasJournal, loadJournal } from '../../../agent/journal/stored-journal.ts';
import { openSession } from '../../../agent/open-session.ts';
import type { QueryOptions } from '../../../agent/query-options.ts';
import { completeClear } from '../../../agent/session/clear-session.ts';
import { withFlags } from '../../../agent/session/settings/applied-flags.ts';
import type { RunRecord } from './run-record.ts';
import type { ObjectSession } from './sleeping-session.ts';

/** What is known before the session is opened. */
export interface ObjectOpening {
  readonly record: Pick<RunRecord, 'sessionId' | 'moveTo' | 'flags'>;
  /** True if the previous run was lost in progress. */
  readonly wasRunning: boolean;
  readonly options: Omit<QueryOptions, 'host' | 'resume' | 'sessionId'>;
}

/** Rejects like `openSession`. */
export async function openObjectSession(
  host: Host,
  { record, wasRunning, options }: ObjectOpening,
): Promise<ObjectSession> {
  const isKept = await hasJournal(host.workspace, record.sessionId);
  // An instance may be lost between the entry that leaves a session and the record of its object.
  if (wasRunning && isKept) await followClear(host, record);
  const { sessionId } = record;
  return openSession({
    ...withFlags(options, record.flags),
    host,
    ...(isKept ? { resume: sessionId } : { sessionId }),
  });
}

async function followClear(host: Host, record: ObjectOpening['record']): Promise<void> {
  const fold = await loadJournal(host.workspace, record.sessionId);
  if (!fold.moved) return;
  await completeClear(host, fold);
  record.moveTo(fold.moved.to);
}
