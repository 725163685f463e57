import { afterEach, describe, expect, test } from 'vitest';
import type { Host } from '../../../../../src/agent/host.ts';
import {
  rewindFiles,
  rewindSession,
  undoRewind,
} from '../../../../../src/agent/session/files/rewind.ts';
import type { JournalRecord } from '../../../../../src/core/session/journal.ts';
import { createMemoryMedium } from '../../../../../src/workspace/drivers/memory.ts';
import type { LogMedium } from '../../../../../src/workspace/log/log-medium.ts';
import { openKept } from '../../../../support/sessions/open-kept.ts';
import type { Kept, OpenKeptOptions } from '../../../../support/sessions/open-kept.ts';
import { createRandom } from '../../../../support/random.ts';
import { TornDisk } from '../../../../support/storage/torn-medium.ts';

const opened: Kept[] = [];
afterEach(async () => {
  for (const kept of opened.splice(0)) await kept.close();
});

async function open(medium: LogMedium = createMemoryMedium(), options: OpenKeptOptions = {}) {
  const kept = await openKept(medium, options);
  opened.push(kept);
  return kept;
}

/** Three turns: two of them write. */
async function openThree(medium?: LogMedium, options?: OpenKeptOptions) {
  const kept = await open(medium, options);
  await kept.say('a.txt one', 'p1');
  await kept.say('b.txt two', 'p2');
  await kept.say('a.txt three', 'p3');
  return kept;
}

const all = { 'a.txt': 'three', 'b.txt': 'two' };

const turns = ({ session }: Kept) =>
  session.journal.fold.entries.flatMap((entry) => (entry.type === 'turn' ? entry : []));

/** Answers calls as the host's own executor does, and keeps what it is told to restore. */
function withStates(restored: unknown[]) {
  return (host: Host): Host => ({
    ...host,
    executor: {
      ...host.executor,
      start: (request, options) => host.executor.start(request, options),
      restoreStates: (id: string, chains: unknown) => {
        restored.push([id, chains]);
        return Promise.resolve();
      },
    } as Host['executor'],
  });
}

describe('a turn', () => {
  test('begins with a checkpoint in the same record, where something has changed', async () => {
    const kept = await openThree();
    await kept.say('thanks', 'p4');
    await kept.say('thanks', 'p5');
    const roots = await kept.host.workspace.roots.list({ kind: 'checkpoint' });
    const ids = turns(kept).map(({ checkpoint }) => checkpoint);
    // Nothing has changed between the fourth and the fifth.
    expect(ids).toEqual([...roots.map(({ id }) => id), roots.at(-1)?.id]);
    expect(roots.map(({ label }) => label)).toEqual([
      'session/session-1: a.txt one',
      'session/session-1: b.txt two',
      'session/session-1: a.txt three',
      'session/session-1: thanks',
    ]);
    expect(turns(kept)[0]?.seq).toBe(roots[0]?.seq);
  });

  test('takes place without a checkpoint that is refused, and a notice says so', async () => {
    const kept = await open();
    const { roots } = kept.host.workspace;
    for (let made = 0; made < 1024; made += 1) {
      await roots.branch(`b${made}`, { author: { kind: 'user' } });
    }
    await kept.say('a.txt one', 'p1');
    expect(await kept.files()).toEqual({ 'a.txt': 'one' });
    expect(turns(kept)[0]).not.toHaveProperty('checkpoint');
    expect(kept.messages).toContainEqual(
      expect.objectContaining({ content: expect.stringContaining('1024') as string }),
    );
    const result = await rewindSession(kept.session, 'p1');
    expect(result).toMatchObject({ changes: [], filesNote: expect.stringContaining('none') });
    expect(await kept.files()).toEqual({ 'a.txt': 'one' });
    expect(kept.words()).toEqual([]);
  });
});

describe('a rewind', () => {
  test('takes conversation and files back to before the prompt, as one record', async () => {
    const kept = await openThree();
    const before = kept.host.workspace.seq();
    const result = await rewindSession(kept.session, 'p2');
    expect(await kept.files()).toEqual({ 'a.txt': 'one' });
    expect(kept.words()).toEqual(['a.txt one', 'Done: a.txt one']);
    expect(result.changes.map(({ path, type }) => [path, type])).toEqual([
      ['/workspace/a.txt', 'update'],
      ['/workspace/b.txt', 'delete'],
    ]);
    const last = kept.session.journal.fold.entries.at(-1);
    expect(last).toMatchObject({ type: 'rewound', n: result.n, seq: before + 1 });
    expect(kept.host.workspace.seq()).toBe(before + 1);
    // The prompt isn't said again by itself.
    expect(kept.session.journal.fold.waiting).toEqual([]);
  });

  test('forgets what the model has read since, and what it was told', async () => {
    const kept = await openThree();
    const { session } = kept;
    await rewindSession(session, 'p1');
    expect([...session.readFileState.entries()]).toEqual([]);
    expect(session.readFileState.takeChanges()).toEqual([]);
    expect(session.memory.record).toEqual(session.journal.fold.states.get('memory'));
    await kept.say('b.txt new', 'p4');
    expect(kept.words()).toEqual(['b.txt new', 'Done: b.txt new']);
    expect(await kept.files()).toEqual({ 'b.txt': 'new' });
  });

  test('stands whole where only what it has changed can not be told', async () => {
    const broken = (host: Host): Host => {
      const diff = () => Promise.reject(new Error('The disk can not be read.'));
      const roots = { value: { ...host.workspace.roots, diff } };
      return { ...host, workspace: Object.create(host.workspace, { roots }) as Host['workspace'] };
    };
    const kept = await openThree(undefined, { toHost: broken });
    const { session } = kept;
    await expect(rewindSession(session, 'p1')).rejects.toThrow('can not be read');
    expect(await kept.files()).toEqual({});
    expect(kept.words()).toEqual([]);
    expect([...session.readFileState.entries()]).toEqual([]);
    expect(session.memory.record).toEqual(session.journal.fold.states.get('memory'));
  });

  test('can follow a rewind, and be taken back, and brought back', async () => {
    const medium = createMemoryMedium();
    const kept = await openThree(medium);
    await rewindSession(kept.session, 'p3');
    expect(await kept.files()).toEqual({ 'a.txt': 'one', 'b.txt': 'two' });
    await rewindSession(kept.session, 'p2');
    expect(await kept.files()).toEqual({ 'a.txt': 'one' });
    await undoRewind(kept.session);
    expect(await kept.files()).toEqual({ 'a.txt': 'one', 'b.txt': 'two' });
    expect(kept.words().at(-1)).toBe('Done: b.txt two');
    const known = [...kept.session.readFileState.entries()].map(([path]) => path);
    expect(known).toEqual(['/workspace/a.txt', '/workspace/b.txt']);
    await undoRewind(kept.session);
    expect(await kept.files()).toEqual({ 'a.txt': 'one' });
    expect(kept.words().at(-1)).toBe('Done: a.txt one');
    await kept.say('c.txt four', 'p4');
    expect(await kept.files()).toEqual({ 'a.txt': 'one', 'c.txt': 'four' });
    expect(kept.words().at(-1)).toBe('Done: c.txt four');
  });

  test('is undone after a reopening, with the turns that came since', async () => {
    const medium = createMemoryMedium();
    const first = await openKept(medium);
    await first.say('a.txt one', 'p1');
    await first.say('b.txt two', 'p2');
    await rewindSession(first.session, 'p1');
    await first.say('c.txt four', 'p3');
    await first.close();
    const kept = await open(medium);
    expect(await kept.files()).toEqual({ 'c.txt': 'four' });
    const { changes } = await undoRewind(kept.session);
    expect(changes.map(({ type }) => type)).toEqual(['create', 'create', 'delete']);
    expect(await kept.files()).toEqual({ 'a.txt': 'one', 'b.txt': 'two' });
    expect(kept.words().at(-1)).toBe('Done: b.txt two');
    await undoRewind(kept.session);
    expect(await kept.files()).toEqual({ 'c.txt': 'four' });
  });

  test('leaves what a person has changed, where they ask for it', async () => {
    const kept = await openThree();
    await kept.host.workspace.fs.writeFile('/workspace/a.txt', 'mine');
    const dry = await rewindSession(kept.session, 'p2', { keep: 'user', dryRun: true });
    const result = await rewindSession(kept.session, 'p2', { keep: 'user' });
    expect(await kept.files()).toEqual({ 'a.txt': 'mine' });
    expect(result.kept).toEqual(['/workspace/a.txt']);
    expect(result.changes.map(({ path }) => path)).toEqual(['/workspace/b.txt']);
    expect(dry).toEqual({ changes: result.changes, kept: result.kept });
  });

  test('changes nothing in a dry run, and says what it would', async () => {
    const kept = await openThree();
    const before = [kept.host.workspace.seq(), kept.session.journal.fold.length];
    const dry = await rewindSession(kept.session, 'p2', { dryRun: true });
    expect([kept.host.workspace.seq(), kept.session.journal.fold.length]).toEqual(before);
    expect(await kept.files()).toEqual(all);
    const { n: _, ...result } = await rewindSession(kept.session, 'p2');
    expect(dry).toEqual(result);
  });

  test('leaves the files, or the variables, where they are not to go back', async () => {
    const restored: unknown[] = [];
    const kept = await openThree(undefined, { toHost: withStates(restored) });
    await rewindSession(kept.session, 'p2', { files: false, repl: false });
    expect(await kept.files()).toEqual(all);
    expect(kept.words().at(-1)).toBe('Done: a.txt one');
    expect(restored).toEqual([]);
    const { changes } = await undoRewind(kept.session);
    expect(changes).toEqual([]);
    expect(restored).toEqual([]);
    expect(kept.words().at(-1)).toBe('Done: a.txt three');
  });

  test('restores the variables as they were, from live and from stored bytes', async () => {
    const medium = createMemoryMedium();
    const first = await openKept(medium);
    await first.say('a.txt one', 'p1');
    const settled = (n: number, form: 'whole' | 'delta'): JournalRecord => ({
      type: 'settled',
      id: `cell-${n}`,
      tool: 'Repl',
      state: 'output-available',
      result: { type: 'tool_result', tool_use_id: `cell-${n}`, content: '' },
      reads: [],
      vm: { tool: 'Repl', form, size: 1, bytes: new Uint8Array([n]) },
    });
    await first.session.journal.record(settled(1, 'whole'), settled(2, 'delta'));
    await first.say('b.txt two', 'p2');
    await first.close();
    const restored: unknown[] = [];
    const kept = await open(medium, { toHost: withStates(restored) });
    await kept.session.journal.record(settled(3, 'delta'));
    await rewindSession(kept.session, 'p2');
    await undoRewind(kept.session);
    const chain = (...bytes: number[]) => [
      'session-1',
      [{ toolName: 'Repl', changes: bytes.map((byte) => new Uint8Array([byte])) }],
    ];
    expect(restored).toEqual([chain(1, 2), chain(1, 2, 3)]);
  });

  test('keeps what was allowed since, and what came in from outside', async () => {
    const kept = await openThree();
    kept.session.downloads.note(1);
    kept.session.permissions.setMode('acceptEdits');
    await rewindSession(kept.session, 'p1');
    expect(kept.session.downloads.since).toBe(1);
    expect(kept.session.permissions.current().mode).toBe('acceptEdits');
    expect(kept.session.journal.fold.permissions.length).toBeGreaterThan(1);
  });

  test.each([
    ['an unknown prompt', 'p9', undefined, 'has no prompt "p9"'],
    ['another keep', 'p1', { keep: 'all' as never }, "keep is 'user'"],
  ])('refuses %s', async (_, uuid, options, why) => {
    const kept = await openThree();
    const { length } = kept.session.journal.fold;
    await expect(rewindSession(kept.session, uuid, options)).rejects.toMatchObject({
      code: 'bad-usage',
      message: expect.stringContaining(why) as string,
    });
    expect(kept.session.journal.fold.length).toBe(length);
  });

  test('refuses what has no meaning: a second time to the same, an undo of none, within a turn', async () => {
    const kept = await openThree();
    await expect(undoRewind(kept.session)).rejects.toThrow('no rewind');
    await rewindSession(kept.session, 'p2');
    await expect(rewindSession(kept.session, 'p3')).rejects.toThrow('no prompt "p3"');
    await kept.session.journal.record({ type: 'prompt', uuid: 'p4', message: said('x') });
    await expect(rewindSession(kept.session, 'p4')).rejects.toThrow('no prompt "p4"');
    await kept.session.journal.record({ type: 'turn', prompt: 'p4' });
    await expect(rewindSession(kept.session, 'p1')).rejects.toThrow('A turn runs');
    await expect(undoRewind(kept.session)).rejects.toThrow('A turn runs');
  });

  test('says so where the checkpoint is gone, and takes the conversation back alone', async () => {
    const kept = await openThree();
    const [, second] = turns(kept);
    await kept.host.workspace.roots.drop(second?.checkpoint ?? '', { author: { kind: 'user' } });
    const { filesNote } = await rewindSession(kept.session, 'p2');
    expect(filesNote).toContain('thinned out, or dropped');
    expect(await kept.files()).toEqual(all);
    expect(kept.words().at(-1)).toBe('Done: a.txt one');
  });

  test('lands whole or not at all, wherever the disk dies', async () => {
    const seen = new Set<boolean>();
    for (let steps = 0; steps < 12; steps += 1) {
      for (const how of ['kill', 'losePower'] as const) {
        const disk = new TornDisk(createRandom(steps + 1).below);
        const kept = await openKept(disk.open());
        await kept.say('a.txt one', 'p1');
        await kept.say('b.txt two', 'p2');
        await kept.session.journal.flush();
        disk.stepsLeft = steps;
        await rewindSession(kept.session, 'p2').catch(() => undefined);
        disk[how]();
        const again = await openKept(disk.open());
        const isRewound = again.session.journal.fold.entries.some(({ type }) => type === 'rewound');
        seen.add(isRewound);
        expect(await again.files()).toEqual(
          isRewound ? { 'a.txt': 'one' } : { 'a.txt': 'one', 'b.txt': 'two' },
        );
        expect(again.words().includes('b.txt two')).toBe(!isRewound);
        await again.close();
      }
    }
    expect(seen).toEqual(new Set([true, false]));
  });
});

describe('rewindFiles', () => {
  test('takes the files back alone, and an undo brings them again', async () => {
    const kept = await openThree();
    const words = kept.words();
    const wanted = {
      canRewind: true,
      filesChanged: ['/workspace/a.txt', '/workspace/b.txt'],
      insertions: 1,
      deletions: 2,
    };
    expect(await rewindFiles(kept.session, 'p2', { dryRun: true })).toEqual(wanted);
    expect(await kept.files()).toEqual(all);
    expect(await rewindFiles(kept.session, 'p2')).toEqual(wanted);
    expect([await kept.files(), kept.words()]).toEqual([{ 'a.txt': 'one' }, words]);
    await undoRewind(kept.session);
    expect([await kept.files(), kept.words()]).toEqual([all, words]);
    await undoRewind(kept.session);
    expect([await kept.files(), kept.words()]).toEqual([{ 'a.txt': 'one' }, words]);
  });

  test('leaves what a person has changed or made since', async () => {
    const kept = await openThree();
    const { fs } = kept.host.workspace;
    await fs.writeFile('/workspace/a.txt', 'mine');
    await fs.writeFile('/workspace/c.txt', 'mine');
    const dry = await rewindFiles(kept.session, 'p1', { dryRun: true });
    expect(await rewindFiles(kept.session, 'p1')).toEqual(dry);
    expect(dry.filesChanged).toEqual(['/workspace/b.txt']);
    expect(await kept.files()).toEqual({ 'a.txt': 'mine', 'c.txt': 'mine' });
  });

  test('says why it can’t', async () => {
    const kept = await open();
    const { error } = await rewindFiles(kept.session, 'p1');
    expect(error).toContain('no prompt "p1"');
  });
});

function said(content: string) {
  return { role: 'user', content } as const;
}
