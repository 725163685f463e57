// The list of sessions as a page shows it, which follows every change.
import { describe, expect, it } from 'vitest';
import {
  archiveSession,
  deleteSession,
  renameSession,
} from '../../../../src/agent/stored-sessions/manage-sessions.ts';
import { createSessionList } from '../../../../src/agent/stored-sessions/session-list.ts';
import type {
  SessionList,
  SessionListSnapshot,
} from '../../../../src/agent/stored-sessions/session-list.ts';
import { createInlineHost } from '../../../../src/hosts/inline/create-inline-host.ts';
import { listTurn, writeJournal } from '../../../support/sessions/written-journals.ts';

/** Resolves once the list has what is looked for. */
function until(
  list: SessionList,
  isThere: (snapshot: SessionListSnapshot) => boolean,
): Promise<SessionListSnapshot> {
  return new Promise((resolve) => {
    const look = () => {
      const snapshot = list.getSnapshot();
      if (!isThere(snapshot)) return;
      unsubscribe();
      resolve(snapshot);
    };
    const unsubscribe = list.subscribe(look);
  });
}

const namesOf = ({ sessions }: SessionListSnapshot) => sessions?.map(({ summary }) => summary);
const hasNames =
  (...names: readonly string[]) =>
  (snapshot: SessionListSnapshot) =>
    JSON.stringify(namesOf(snapshot)) === JSON.stringify(names);

describe('a session list', () => {
  it('has what was created, renamed, archived and deleted since', async () => {
    await using host = await createInlineHost();
    await writeJournal(host, 'a', listTurn('a', 'First.'), 1_000);
    const list = createSessionList({ host });
    expect(list.getSnapshot()).toEqual({ sessions: null, error: null });
    const unsubscribe = list.subscribe(() => {});
    await until(list, hasNames('First.'));
    await writeJournal(host, 'b', listTurn('b', 'Second.'), 2_000);
    await until(list, hasNames('Second.', 'First.'));
    await renameSession('a', 'Named', { host });
    await until(list, hasNames('Named', 'Second.'));
    await archiveSession('a', { host });
    await until(list, hasNames('Second.'));
    await deleteSession('b', { host });
    await until(list, hasNames());
    unsubscribe();
  });

  it('is read again for a listener that comes after the last one has left', async () => {
    await using host = await createInlineHost();
    const list = createSessionList({ host, limit: 1 });
    await until(list, hasNames());
    await writeJournal(host, 'a', listTurn('a', 'First.'), 1_000);
    await writeJournal(host, 'b', listTurn('b', 'Second.'), 2_000);
    expect(namesOf(list.getSnapshot())).toEqual([]);
    await until(list, hasNames('Second.'));
  });

  it('keeps what it has, and says why, where it could not be read', async () => {
    await using host = await createInlineHost();
    await writeJournal(host, 'a', listTurn('a', 'First.'), 1_000);
    const { workspace } = host;
    let problem: Error | undefined;
    const streams = {
      ...workspace.streams,
      list: async () => {
        if (problem) throw problem;
        return workspace.streams.list();
      },
    };
    const list = createSessionList({ host: { workspace: { ...workspace, streams } } });
    const unsubscribe = list.subscribe(() => {});
    await until(list, hasNames('First.'));
    problem = new Error('The medium is gone.');
    await renameSession('a', 'Named', { host });
    const failed = await until(list, ({ error }) => error === problem);
    expect(namesOf(failed)).toEqual(['First.']);
    problem = undefined;
    await archiveSession('a', { host });
    await until(list, ({ sessions, error }) => error === null && sessions?.length === 0);
    unsubscribe();
  });

  it('refuses options as listSessions does', async () => {
    await using host = await createInlineHost();
    expect(() => createSessionList({ host, limit: -1 })).toThrow('limit must be a whole number');
    expect(() => createSessionList({} as never)).toThrow('options.host is missing');
    expect(() => createSessionList({ host, limits: 1 } as never)).toThrow('createSessionList');
  });
});
