// The mirror of a session: the store has what the journal has, and another workspace can go on from it.
import { describe, expect, it } from 'vitest';
import { loadJournal } from '../../../../src/agent/journal/stored-journal.ts';
import { loadFromStore, startMirror } from '../../../../src/agent/stored-sessions/session-store.ts';
import type {
  MirrorOptions,
  SessionKey,
  SessionStore,
  SessionStoreEntry,
} from '../../../../src/agent/stored-sessions/session-store.ts';
import { listSessions } from '../../../../src/agent/stored-sessions/session-info.ts';
import type { JournalRecord } from '../../../../src/core/session/journal.ts';
import { createInlineHost } from '../../../../src/hosts/inline/create-inline-host.ts';
import { createVirtualClock } from '../../../../src/hosts/inline/virtual-clock.ts';
import { listTurn, writeJournal } from '../../../support/sessions/written-journals.ts';

const key: SessionKey = { projectKey: '/workspace', sessionId: 'a' };

/** What crossed a network: JSON. */
function createStore(): SessionStore & { readonly kept: SessionStoreEntry[]; refusal?: string } {
  const kept: SessionStoreEntry[] = [];
  return {
    kept,
    async append(given, entries) {
      expect(given).toEqual(key);
      if (this.refusal !== undefined) throw new Error(this.refusal);
      kept.push(...(JSON.parse(JSON.stringify(entries)) as SessionStoreEntry[]));
    },
    load: async () => (kept.length > 0 ? kept : null),
  };
}

async function openMirrored(store = createStore(), options: Partial<MirrorOptions> = {}) {
  const clock = createVirtualClock();
  const host = await createInlineHost({ clock });
  const errors: string[] = [];
  const start = () =>
    startMirror(store, {
      key,
      workspace: host.workspace,
      clock,
      onError: (error) => errors.push(error),
      ...options,
    });
  return { host, store, clock, errors, start };
}

describe('a mirror', () => {
  it('has all that was recorded before it was closed, and another workspace the same', async () => {
    const { host, store, errors, start } = await openMirrored();
    const mirror = start();
    await writeJournal(host, 'a', listTurn('a', 'x'.repeat(70_000)));
    await writeJournal(host, 'b', listTurn('b', 'of another session'));
    await writeJournal(host, 'a', [{ type: 'meta', title: 'y'.repeat(300_000) }]);
    await mirror.close();
    expect(errors).toEqual([]);
    expect(store.kept.map(({ n }) => n)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(store.kept[0]).toMatchObject({ type: 'session' });
    await using other = await createInlineHost();
    expect(await loadFromStore(store, key, other)).toBe(true);
    const [here, there] = [
      await loadJournal(host.workspace, 'a'),
      await loadJournal(other.workspace, 'a'),
    ];
    expect(there).toEqual(here);
  });

  it('begins with what the store has not', async () => {
    const { host, store, start } = await openMirrored();
    await writeJournal(host, 'a', listTurn('a', 'Hello'));
    await start().close();
    expect(store.kept).toHaveLength(6);
    await writeJournal(host, 'a', [{ type: 'meta', title: 'New' }]);
    await start().close();
    expect(store.kept.map(({ n }) => n)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it('tells of what it could not send, and sends it with what comes next', async () => {
    const { host, store, errors, start } = await openMirrored();
    store.refusal = 'No such table.';
    await writeJournal(host, 'a', listTurn('a', 'Hello'));
    const mirror = start();
    await expect.poll(() => errors).toEqual(['Error: No such table.']);
    delete store.refusal;
    await writeJournal(host, 'a', [{ type: 'meta', title: 'New' }]);
    await mirror.close();
    expect(errors).toHaveLength(1);
    expect(store.kept.map(({ n }) => n)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it('waits for a store that does not answer ten seconds, and no longer', async () => {
    const { host, clock, errors, start } = await openMirrored({
      ...createStore(),
      append: () => new Promise(() => undefined),
    });
    await writeJournal(host, 'a', listTurn('a', 'Hello'));
    const closing = start().close();
    clock.advance(10_000);
    await closing;
    expect(errors).toEqual(["The store hasn't answered in 10 s."]);
  });
});

describe('a mirror that sends in batches', () => {
  const openBatched = async () => {
    const batches: string[][] = [];
    const store = createStore();
    const append: SessionStore['append'] = async (given, entries) => {
      batches.push(entries.map(({ type }) => type));
      await createStore().append(given, entries);
    };
    const opened = await openMirrored({ ...store, append }, { flush: 'batched' });
    return { ...opened, batches };
  };
  const context = (text: string) =>
    ({ type: 'context', source: 'tool', messages: [{ role: 'user', content: text }] }) as const;
  // The cast: a mirror reads the kind of an entry alone.
  const result = { type: 'result', message: { subtype: 'success' } } as unknown as JournalRecord;

  it('sends what a turn has recorded when it ends, and the rest when it is closed', async () => {
    const { host, batches, start } = await openBatched();
    await writeJournal(host, 'a', listTurn('a', 'Hello'));
    const mirror = start();
    await expect.poll(() => batches).toHaveLength(1);
    for (const record of [context('One.'), context('Two.'), result])
      await writeJournal(host, 'a', [record]);
    await expect.poll(() => batches.slice(1)).toEqual([['context', 'context', 'result']]);
    await writeJournal(host, 'a', [context('Three.')]);
    await writeJournal(host, 'a', [context('Four.')]);
    await mirror.close();
    expect(batches.slice(2)).toEqual([['context', 'context']]);
  });

  it('sends at once what waits too long to be kept: five hundred entries', async () => {
    const { host, batches, start } = await openBatched();
    await writeJournal(host, 'a', listTurn('a', 'Hello'));
    const mirror = start();
    await expect.poll(() => batches).toHaveLength(1);
    await writeJournal(host, 'a', [context('One.')]);
    const many = Array.from({ length: 499 }, (_, at) => context(`${at}`));
    await writeJournal(host, 'a', many);
    await expect.poll(() => batches.slice(1).flat().length).toBe(500);
    await mirror.close();
  });
});

describe('a store that never answers', () => {
  const silent: SessionStore = {
    append: async () => undefined,
    load: () => new Promise(() => undefined),
  };

  it('ends the opening of a session after a minute, with what to do', async () => {
    const clock = createVirtualClock();
    await using host = await createInlineHost({ clock });
    const loading = loadFromStore(silent, key, host);
    const failed = expect(loading).rejects.toMatchObject({
      code: 'limit-exceeded',
      message: expect.stringContaining("hasn't answered `load` of a in 60 s"),
      data: { sessionId: 'a', loadTimeoutMs: 60_000 },
    });
    clock.advance(60_000);
    await failed;
    expect(clock.pending()).toBe(0);
  });

  it('is told of by the mirror', async () => {
    const store = { ...createStore(), load: silent.load };
    const { host, clock, errors, start } = await openMirrored(store, { loadTimeoutMs: 500 });
    await writeJournal(host, 'a', listTurn('a', 'Hello'));
    const mirror = start();
    await expect.poll(() => clock.pending()).toBe(1);
    clock.advance(500);
    await expect.poll(() => errors).toEqual([expect.stringContaining('in 0.5 s')]);
    const closing = mirror.close();
    await expect.poll(() => clock.pending()).toBeGreaterThan(0);
    clock.advance(10_000);
    await closing;
  });
});

describe('what a store has', () => {
  it('is no session where it is nothing, or has a gap, or is damaged', async () => {
    await using host = await createInlineHost();
    const { workspace, clock } = host;
    const load = (entries: SessionStoreEntry[] | null) =>
      loadFromStore({ append: async () => undefined, load: async () => entries }, key, {
        workspace,
        clock,
      });
    expect(await load(null)).toBe(false);
    expect(await load([])).toBe(false);
    const { host: from, store, start } = await openMirrored();
    await writeJournal(from, 'a', listTurn('a', 'Hello'));
    await start().close();
    const { kept } = store;
    await expect(load(kept.toSpliced(2, 1))).rejects.toThrow('has no entry 3');
    await expect(load(kept.slice(1))).rejects.toThrow('has no entry 1');
    await expect(load([{ type: 'session', n: 1, entry: 'x' }])).rejects.toThrow('is none');
    expect(await listSessions({ host })).toEqual([]);
    // A batch that was sent twice.
    expect(await load([...kept.slice(0, 4), ...kept])).toBe(true);
    expect((await loadJournal(workspace, 'a')).length).toBe(6);
    // As many entries as a session has after months.
    const many = Array.from({ length: 200_000 }, () => kept[0] as SessionStoreEntry);
    await expect(load([...many, ...kept.slice(2)])).rejects.toThrow('has no entry 2');
  });

  it('brings no version of another workspace, and no checkpoint', async () => {
    const { host: from, store, start } = await openMirrored();
    await writeJournal(from, 'a', [
      ...listTurn('a', 'Hello').map((record) =>
        record.type === 'turn' ? { ...record, checkpoint: 'c1' } : record,
      ),
      {
        type: 'settled',
        id: 'call-1',
        tool: 'Read',
        state: 'output-available',
        result: { type: 'tool_result', tool_use_id: 'call-1', content: 'one' },
        reads: [['/workspace/a.txt', 12]],
      },
      { type: 'permissions', updates: [], downloadedAt: 40 },
    ]);
    await start().close();
    await using host = await createInlineHost();
    await loadFromStore(store, key, host);
    const fold = await loadJournal(host.workspace, 'a');
    expect([...fold.reads]).toEqual([]);
    expect(fold.turn?.turn.checkpoint).toBeUndefined();
    expect(fold.permissions).toMatchObject([{ downloadedAt: 0 }]);
  });
});
