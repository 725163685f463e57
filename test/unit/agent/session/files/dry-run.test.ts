import { afterEach, describe, expect, test } from 'vitest';
import { openSession } from '../../../../../src/agent/open-session.ts';
import { query } from '../../../../../src/agent/query.ts';
import { openDryRun } from '../../../../../src/agent/session/files/dry-run.ts';
import { rewindSession } from '../../../../../src/agent/session/files/rewind.ts';
import { createMemoryMedium } from '../../../../../src/workspace/drivers/memory.ts';
import type { LogMedium } from '../../../../../src/workspace/log/log-medium.ts';
import { isResult, readUntil } from '../../../../support/sessions/open-sessions.ts';
import { openKept, writingModel } from '../../../../support/sessions/open-kept.ts';
import type { Kept } from '../../../../support/sessions/open-kept.ts';

const opened: Kept[] = [];
afterEach(async () => {
  for (const kept of opened.splice(0)) await kept.close();
});

async function open(medium: LogMedium = createMemoryMedium()) {
  const kept = await openKept(medium, { dryRun: true });
  opened.push(kept);
  const { workspace, clock } = kept.host;
  return { ...kept, workspace, dryRun: await openDryRun(workspace, kept.session.id, clock) };
}

const lines = (count: number) => Array.from({ length: count }, (_, at) => `${at}\n`).join('');

/** Two hunks in `long.txt` and a new file. */
async function openChanged() {
  const kept = await open();
  const { workspace, dryRun } = kept;
  const path = '/workspace/long.txt';
  await workspace.fs.writeFile(path, lines(40));
  await dryRun.dropChanges();
  const again = await openDryRun(workspace, kept.session.id, kept.host.clock);
  const { fs } = workspace.at(again.root);
  await fs.writeFile(path, lines(40).replace('\n5\n', '\nfive\n').replace('\n30\n', '\nthirty\n'));
  await kept.say('new.txt content', 'p1');
  const changes = await again.changes();
  const [first, second] = changes.find((change) => change.path === path)?.structuredPatch ?? [];
  if (!first || !second) throw new Error('There are no two hunks.');
  const main = async () => (await kept.files())['long.txt'];
  return { ...kept, dryRun: again, path, first, second, main };
}

describe('a dry run', () => {
  test('leaves main as it is, and lists what was changed', async () => {
    const kept = await open();
    await kept.workspace.fs.writeFile('/workspace/mine.txt', 'mine');
    await kept.say('a.txt one', 'p1');
    await kept.say('b.txt two', 'p2');
    expect(await kept.files()).toEqual({ 'mine.txt': 'mine' });
    expect(await kept.files(kept.dryRun.root)).toEqual({ 'a.txt': 'one', 'b.txt': 'two' });
    const changes = await kept.dryRun.changes();
    expect(changes.map(({ path, type }) => [path, type])).toEqual([
      ['/workspace/a.txt', 'create'],
      ['/workspace/b.txt', 'create'],
    ]);
    const { filesNote } = await rewindSession(kept.session, 'p2');
    expect(filesNote).toContain('branch');
  });

  test('is a query’s, too', async () => {
    const { host, files } = await open();
    const options = { host, model: writingModel, dryRun: true, sessionId: 'other' } as const;
    const running = query({
      prompt: 'a.txt one',
      options: { ...options, permissionMode: 'bypassPermissions' },
    });
    for await (const _ of running);
    expect(await files()).toEqual({});
    const dryRun = await openDryRun(host.workspace, 'other', host.clock);
    await dryRun.takeChanges();
    expect(await files()).toEqual({ 'a.txt': 'one' });
  });

  test('is there after a reload', async () => {
    const medium = createMemoryMedium();
    const first = await openKept(medium, { dryRun: true });
    await first.say('a.txt one', 'p1');
    await first.close();
    const kept = await open(medium);
    await kept.say('b.txt two', 'p2');
    expect(await kept.files()).toEqual({});
    await kept.dryRun.takeChanges();
    expect(await kept.files()).toEqual({ 'a.txt': 'one', 'b.txt': 'two' });
  });

  test('is taken by file, and the rest later', async () => {
    const kept = await open();
    await kept.say('a.txt one', 'p1');
    await kept.say('b.txt two', 'p2');
    const taken = await kept.dryRun.takeChanges({ paths: ['/workspace/b.txt'] });
    expect(taken).toEqual({ seq: kept.workspace.seq(), paths: ['/workspace/b.txt'] });
    expect(await kept.files()).toEqual({ 'b.txt': 'two' });
    expect((await kept.dryRun.changes()).map(({ path }) => path)).toEqual(['/workspace/a.txt']);
    await kept.dryRun.takeChanges();
    expect(await kept.files()).toEqual({ 'a.txt': 'one', 'b.txt': 'two' });
    expect(await kept.dryRun.changes()).toEqual([]);
  });

  test('is dropped, and begins anew as main is then', async () => {
    const kept = await open();
    await kept.say('a.txt one', 'p1');
    await kept.dryRun.dropChanges();
    expect(await kept.workspace.roots.list()).toEqual([]);
    await kept.workspace.fs.writeFile('/workspace/mine.txt', 'mine');
    const again = await openDryRun(kept.workspace, kept.session.id, kept.host.clock);
    await kept.say('b.txt two', 'p2');
    expect(await kept.files(again.root)).toEqual({ 'b.txt': 'two', 'mine.txt': 'mine' });
    expect(await kept.files()).toEqual({ 'mine.txt': 'mine' });
  });

  test('is taken by hunk', async () => {
    const { dryRun, path, second, first, main, files } = await openChanged();
    await dryRun.takeChanges({ hunks: { [path]: [second] } });
    expect(await main()).toBe(lines(40).replace('\n30\n', '\nthirty\n'));
    expect(await files()).not.toHaveProperty('new.txt');
    const left = (await dryRun.changes()).find((change) => change.path === path);
    expect(left?.structuredPatch).toEqual([first]);
    await dryRun.takeChanges();
    expect(await main()).toContain('\nfive\n');
    expect(await files()).toHaveProperty('new.txt');
    expect(await dryRun.changes()).toEqual([]);
  });

  test('takes nothing where a hunk doesn’t fit any more, or none was given for the file', async () => {
    const { dryRun, workspace, path, first, second, main } = await openChanged();
    const mine = lines(40).replace('\n5\n', '\nmine\n');
    await workspace.fs.writeFile(path, mine);
    for (const hunks of [{ [path]: [first, second] }, { '/workspace/new.txt': [first] }]) {
      await expect(dryRun.takeChanges({ hunks })).rejects.toMatchObject({
        code: 'ECONFLICT',
        data: { paths: Object.keys(hunks) },
      });
    }
    await expect(dryRun.takeChanges()).rejects.toMatchObject({ code: 'ECONFLICT' });
    expect(await main()).toBe(mine);
    await dryRun.takeChanges({ hunks: { [path]: [second] } });
    expect(await main()).toBe(mine.replace('\n30\n', '\nthirty\n'));
  });

  test('refuses files and hunks in one call', async () => {
    const { dryRun, path, first } = await openChanged();
    const both = dryRun.takeChanges({ paths: [path], hunks: { [path]: [first] } });
    await expect(both).rejects.toMatchObject({ code: 'bad-usage' });
    await expect(dryRun.takeChanges({ hunks: {} })).rejects.toMatchObject({ code: 'bad-usage' });
  });
});

test('a dry run whose changes are dropped goes on with the next prompt, as main is then', async () => {
  const { host, workspace } = await open();
  const session = await openSession({
    ...{ host, model: writingModel, dryRun: true, sessionId: 'dropped' },
    permissionMode: 'bypassPermissions',
  });
  const say = async (text: string, count: number) => {
    await session.send(text);
    let left = count;
    await readUntil(session, (message) => isResult(message) && (left -= 1) === 0);
  };
  await say('a.txt one', 1);
  await (await openDryRun(workspace, 'dropped', host.clock)).dropChanges();
  await say('b.txt two', 2);
  const { changes } = await openDryRun(workspace, 'dropped', host.clock);
  expect((await changes()).map(({ path }) => path)).toEqual(['/workspace/b.txt']);
  await session.close();
});
