// The sessions that a workspace keeps, as a list shows them and a person changes them.
import { describe, expect, it } from 'vitest';
import { openSession } from '../../../../src/agent/open-session.ts';
import type { QueryOptions } from '../../../../src/agent/query-options.ts';
import {
  archiveSession,
  deleteSession,
  renameSession,
  tagSession,
  unarchiveSession,
} from '../../../../src/agent/stored-sessions/manage-sessions.ts';
import {
  getSessionInfo,
  listSessions,
} from '../../../../src/agent/stored-sessions/session-info.ts';
import { getSessionMessages } from '../../../../src/agent/stored-sessions/session-messages.ts';
import { createInlineHost } from '../../../../src/hosts/inline/create-inline-host.ts';
import { silentModel } from '../../../support/sessions/open-sessions.ts';
import { listTurn, writeJournal } from '../../../support/sessions/written-journals.ts';

/** Three sessions: `b` is the newest. */
async function openHost() {
  const host = await createInlineHost();
  await writeJournal(host, 'a', listTurn('a', 'Mend it.'), 1_000);
  await writeJournal(host, 'b', listTurn('b', 'x'.repeat(70_000)), 3_000);
  await writeJournal(host, 'c', listTurn('c', 'Say it.'), 2_000);
  await host.workspace.streams.append('other', [{ value: 1 }], { at: 0 });
  return host;
}

const ids = (infos: readonly { readonly sessionId: string }[]) =>
  infos.map(({ sessionId }) => sessionId);

describe('a list of sessions', () => {
  it('has the newest first, and nothing but sessions', async () => {
    await using host = await openHost();
    expect(ids(await listSessions({ host }))).toEqual(['b', 'c', 'a']);
    expect(ids(await listSessions({ host, limit: 1, offset: 1 }))).toEqual(['c']);
    expect(ids(await listSessions({ host, offset: 3 }))).toEqual([]);
    await writeJournal(host, 'a', [{ type: 'opened', owner: 'p', why: 'resume' }], 4_000);
    expect(ids(await listSessions({ host }))).toEqual(['a', 'b', 'c']);
  });

  it('says what each is, by its first prompt', async () => {
    await using host = await openHost();
    const [newest, , oldest] = await listSessions({ host });
    expect(oldest).toEqual({
      sessionId: 'a',
      summary: 'Mend it.',
      firstPrompt: 'Mend it.',
      createdAt: 1_000,
      lastModified: 1_005,
      cwd: '/workspace',
      fileSize: expect.any(Number),
      isArchived: false,
    });
    expect(newest?.firstPrompt).toHaveLength(1_000);
    expect(newest?.fileSize).toBeGreaterThan(70_000);
  });

  it('shows one that can not be read, with the reason', async () => {
    await using host = await openHost();
    await host.workspace.streams.append('session/broken', [{ value: { type: 'session' } }], {
      at: 0,
    });
    expect((await listSessions({ host })).at(-1)).toMatchObject({
      sessionId: 'broken',
      problem: expect.stringContaining('it has no time'),
    });
    await deleteSession('broken', { host });
    expect(await listSessions({ host })).toHaveLength(3);
  });

  it('refuses limits that are none', async () => {
    await using host = await openHost();
    await expect(listSessions({ host, limit: -1 })).rejects.toThrow('whole number from 0');
    await expect(listSessions({ host, offset: 0.5 })).rejects.toThrow('whole number from 0');
  });

  it('reads of a session that was read before only what is new', async () => {
    await using host = await openHost();
    const { workspace } = host;
    const from: number[] = [];
    const { read } = workspace.streams;
    Object.assign(workspace.streams, {
      read: (id: string, n = 1) => {
        from.push(n);
        return read(id, n);
      },
    });
    await listSessions({ host });
    from.length = 0;
    await listSessions({ host });
    expect(from).toEqual([]);
    await writeJournal(host, 'a', [{ type: 'meta', title: 'New' }], 5_000);
    expect((await listSessions({ host }))[0]).toMatchObject({ customTitle: 'New' });
    expect(from).toEqual([7, 6]);
  });

  it('knows a session from one of the same id that was deleted', async () => {
    await using host = await openHost();
    await listSessions({ host });
    await deleteSession('a', { host });
    await writeJournal(host, 'a', [...listTurn('a', 'Another.'), { type: 'meta', title: 'T' }], 9);
    expect(await getSessionInfo('a', { host })).toMatchObject({
      firstPrompt: 'Another.',
      createdAt: 9,
    });
  });
});

describe('a session that is kept', () => {
  it('gets a title and a tag, and loses them', async () => {
    await using host = await openHost();
    await renameSession('a', ' My title ', { host });
    await tagSession('a', 'mine', { host });
    expect(await getSessionInfo('a', { host })).toMatchObject({
      summary: 'My title',
      customTitle: 'My title',
      firstPrompt: 'Mend it.',
      tag: 'mine',
    });
    await tagSession('a', null, { host });
    expect(await getSessionInfo('a', { host })).not.toHaveProperty('tag');
    await expect(renameSession('a', ' ', { host })).rejects.toThrow('1 to 1 000 characters');
    await expect(renameSession('no', 'x', { host })).rejects.toThrow('keeps no session "no"');
    await expect(renameSession('../a', 'x', { host })).rejects.toThrow("can't be a session's id");
  });

  it('is called as the option says that began it, and keeps that', async () => {
    await using host = await createInlineHost();
    const model = silentModel;
    const open = async (options: Partial<QueryOptions>) => {
      await using session = await openSession({ host, model, ...options });
      return getSessionInfo(session.id, { host });
    };
    const made = await open({ sessionId: 'a', title: ' Rounding ' });
    expect(made).toMatchObject({ customTitle: 'Rounding', summary: 'Rounding' });
    expect(await open({ resume: 'a', title: 'Other' })).toMatchObject({ customTitle: 'Rounding' });
    const fork = await open({ resume: 'a', forkSession: true, title: 'Splitting' });
    expect(fork).toMatchObject({ customTitle: 'Splitting' });
    await expect(open({ title: ' ' })).rejects.toMatchObject({ code: 'bad-usage' });
  });

  it('is left out of the list while it is in the archive', async () => {
    await using host = await openHost();
    await archiveSession('b', { host });
    expect(ids(await listSessions({ host }))).toEqual(['c', 'a']);
    expect(ids(await listSessions({ host, limit: 1 }))).toEqual(['c']);
    expect(ids(await listSessions({ host, includeArchived: true }))).toEqual(['b', 'c', 'a']);
    await unarchiveSession('b', { host });
    expect(ids(await listSessions({ host }))).toEqual(['b', 'c', 'a']);
  });

  it('is deleted with its own files, and no other', async () => {
    await using host = await openHost();
    const { roots } = host.workspace;
    await roots.session('a', { author: { kind: 'agent' } });
    await roots.session('b', { author: { kind: 'agent' } });
    await deleteSession('a', { host });
    expect(ids(await listSessions({ host }))).toEqual(['b', 'c']);
    expect((await roots.list({ kind: 'session' })).map(({ id }) => id)).toEqual(['session/b']);
    expect(await getSessionInfo('a', { host })).toBeUndefined();
    await expect(deleteSession('a', { host })).rejects.toThrow('keeps no session "a"');
  });

  it('gives the messages that its viewers were told', async () => {
    await using host = await openHost();
    const messages = await getSessionMessages('a', { host });
    expect(messages).toMatchObject([
      { type: 'user', n: 4, uuid: 'prompt of a', session_id: 'a' },
      { type: 'assistant', n: 6, uuid: 'reply of a' },
    ]);
    expect(await getSessionMessages('a', { host, offset: 1, limit: 1 })).toEqual([messages[1]]);
    await expect(getSessionMessages('no', { host })).rejects.toThrow('keeps no session');
  });
});
