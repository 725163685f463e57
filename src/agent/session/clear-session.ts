// `/clear` replaces a session by a new one. Loaded by run-command.ts for the command.
// session-engine.ts loads it if a page was closed before the new session existed.
import { SdkError } from '../../core/errors.ts';
import { journalFormat } from '../../core/session/journal.ts';
import type { MovedRecord, PromptRecord } from '../../core/session/journal.ts';
import { modelState } from '../../core/session/session-states.ts';
import { VERSION } from '../../core/version.ts';
import type { Host } from '../host.ts';
import { SessionFold } from '../journal/fold.ts';
import { createSessionJournal } from '../journal/session-journal.ts';
import { createStreamStore, hasJournal } from '../journal/stored-journal.ts';
import { leaveServerChanges } from './server-changes.ts';
import type { Session } from './session.ts';

/** 100 prompts: the list of sessions reads the first entry of each session. */
const mostLeft = 100;

/**
 * Creates the new session, which is empty, and moves the waiting prompts to it. It has the same mode
 * and the same chosen model. The caller that has this session open continues with the new one after
 * the turn.
 * @throws SdkError `bad-usage` for a session that isn't kept; the medium's own error if it fails
 */
export async function clearSession(
  session: Pick<Session, 'journal' | 'ids' | 'host' | 'permissions' | 'mcpServers'>,
): Promise<void> {
  const { journal, ids, host, permissions, mcpServers } = session;
  const { fold } = journal;
  if (!journal.isKept) {
    throw new SdkError(
      'bad-usage',
      'This session isn’t kept (persistSession is false), so no other can take its place. End it, and begin a new one.',
    );
  }
  const { mode, modeBeforePlan } = permissions.current();
  const moved: MovedRecord = {
    type: 'moved',
    to: ids.of('clear', fold.length),
    prompts: fold.waiting.map(({ uuid }) => uuid),
    mode,
    ...(mode === 'plan' && modeBeforePlan !== undefined && { modeBeforePlan }),
  };
  if (mcpServers) leaveServerChanges(host.workspace, moved.to, mcpServers.changes());
  // Recorded first, because waiting prompts must not be answered in both sessions.
  await journal.recordSafely(moved);
  await completeClear(host, fold);
}

/**
 * Completes a `/clear` that was interrupted. Does nothing if the new session exists, or if there
 * was no `/clear`. Rejects with the medium's error.
 */
export async function completeClear(
  { workspace, clock }: Pick<Host, 'workspace' | 'clock'>,
  fold: SessionFold,
): Promise<void> {
  const { moved, session } = fold;
  if (!moved || !session || (await hasJournal(workspace, moved.to))) return;
  const { to, prompts, mode, modeBeforePlan } = moved;
  const store = createStreamStore(workspace, to);
  const journal = createSessionJournal({ fold: new SessionFold(), store, clock });
  const { id: clearedFrom, cwd } = session;
  const before = session.clearedFrom === undefined ? [] : [session.clearedFrom];
  const clearedBefore = [...before, ...(session.clearedBefore ?? [])].slice(0, mostLeft);
  const seed = crypto.randomUUID();
  const model = fold.states.get(modelState) ?? undefined;
  const waiting: PromptRecord[] = [];
  for await (const prompt of readPrompts(fold, prompts)) waiting.push(prompt);
  await journal.recordSafely(
    {
      ...{ type: 'session', format: journalFormat, id: to, seed, cwd, version: VERSION },
      clearedFrom,
      ...(clearedBefore.length > 0 && { clearedBefore }),
    },
    ...[modeBeforePlan, mode].flatMap((each) =>
      each === undefined ? [] : ({ type: 'permissions', updates: [], mode: each } as const),
    ),
    ...(model === undefined ? [] : [{ type: 'state', key: modelState, value: model } as const]),
    ...waiting,
  );
}

/** The prompts may be so old that their entries aren't in memory any more. */
async function* readPrompts(
  fold: SessionFold,
  uuids: readonly string[],
): AsyncGenerator<PromptRecord, void, undefined> {
  for (const uuid of uuids) {
    const n = fold.promptIds.get(uuid);
    if (n === undefined) continue;
    for await (const entry of fold.read(n, n)) {
      if (entry.type !== 'prompt') continue;
      const { message, origin, client_composed, priority } = entry;
      const about = {
        ...(origin && { origin }),
        ...(client_composed && { client_composed }),
        ...(priority && { priority }),
      };
      yield { type: 'prompt', uuid, message, ...about };
    }
  }
}
