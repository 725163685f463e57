// What of a session's past goes along when it moves: checkpoints, tasks, todos and the plan.
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { OpenedSession } from '../../../src/agent/agent-session.ts';
import { loadJournal } from '../../../src/agent/journal/stored-journal.ts';
import { listPinned } from '../../../src/agent/session/files/checkpoints.ts';
import { isToolResultBlock, toResultText } from '../../../src/core/messages/blocks.ts';
import type { ContentBlock } from '../../../src/core/messages/blocks.ts';
import { toPlanPath } from '../../../src/core/session/session-path.ts';
import { bringBack } from '../../../src/wire/handover/bring-back.ts';
import { moveSession } from '../../../src/wire/handover/move-session.ts';
import { listModel, says, asks } from '../../support/turns/play-turns.ts';
import { atOnce, movingId, movingUrl, openMovingPlaces } from '../../support/wire/moving-places.ts';
import type { MovingPlaces } from '../../support/wire/moving-places.ts';
import { isResult, readUntil } from '../../support/sessions/open-sessions.ts';

let places: MovingPlaces;

beforeEach(async () => {
  places = await openMovingPlaces();
});

afterEach(() => places.close());

type Place = 'tab' | 'cloud';

const options = () => ({ fetch: places.fetch, ticket: () => 'a ticket', clock: atOnce });
const move = () => moveSession(movingId, movingUrl, { host: places.tab, ...options() });
const back = () => bringBack(movingUrl, { host: places.tab, ...options() });

async function play(session: OpenedSession, turn: number, uuid = `turn-${turn}`): Promise<void> {
  const message = { role: 'user', content: `Turn ${turn}` } as const;
  const { n } = await session.send({ type: 'user', uuid, message, parent_tool_use_id: null });
  await readUntil(session, isResult, n);
}

async function playIn(place: Place, turn: number): Promise<void> {
  await using session = await places.openIn(place);
  await play(session, turn);
}

/** All files below /workspace. */
async function readFiles(place: Place): Promise<Record<string, string>> {
  const { fs } = places[place].workspace;
  const files: Record<string, string> = {};
  const enter = async (directory: string): Promise<void> => {
    for (const name of (await fs.readdir(directory)).sort()) {
      const path = `${directory}/${name}`;
      if ((await fs.lstat(path)).isDirectory()) await enter(path);
      else files[path.slice('/workspace/'.length)] = await fs.readFile(path, 'utf8');
    }
  };
  await enter('/workspace');
  return files;
}

/** What the newest cell has given. */
async function lastVariable(place: Place): Promise<string | undefined> {
  const { messages } = await loadJournal(places[place].workspace, movingId);
  const results = messages.flatMap(({ content }) =>
    typeof content === 'string' ? [] : content.filter(isToolResultBlock),
  );
  const last = results.findLast((block) => block.tool_use_id.startsWith('r-'));
  return last && toResultText(last);
}

it('rewinds to points before the move, in the new place, with the same files, and back in the old one', async () => {
  const { fs } = places.tab.workspace;
  await playIn('tab', 0);
  await fs.mkdir('/workspace/deep/er', { recursive: true });
  await fs.writeFile('/workspace/deep/er/a.txt', 'a');
  await fs.writeFile('/workspace/mine.txt', 'one');
  const first = await readFiles('tab');
  await playIn('tab', 1);
  await fs.rm('/workspace/deep', { recursive: true });
  await fs.writeFile('/workspace/deep', 'a file now');
  await fs.writeFile('/workspace/mine.txt', 'two');
  const second = await readFiles('tab');
  await playIn('tab', 2);
  await fs.writeFile('/workspace/mine.txt', 'three');
  const third = await readFiles('tab');
  await move();
  expect(await readFiles('cloud')).toEqual(third);

  const there = await places.openIn('cloud');
  await play(there, 3);
  const last = await readFiles('cloud');
  expect(await there.rewindFiles('turn-2', { dryRun: true })).toMatchObject({ canRewind: true });
  await there.rewind('turn-2');
  expect(await readFiles('cloud')).toEqual(second);
  await there.rewind('turn-1');
  expect(await readFiles('cloud')).toEqual(first);
  // The variables, too: turn 1 counts on from turn 0's.
  await play(there, 1, 'turn-1 again');
  expect(await lastVariable('cloud')).toBe('=> 2');
  await there.undo();
  expect(await readFiles('cloud')).toEqual(second);
  await there.undo();
  expect(await readFiles('cloud')).toEqual({ ...first, '1.txt': '1' });
  await there.rewindFiles('turn-2');
  expect(await readFiles('cloud')).toEqual(second);
  await there.rewindFiles('turn-3');
  expect(await readFiles('cloud')).toEqual(third);
  await there.close();
  expect(Object.keys(last)).toContain('3.txt');

  await back();
  const here = await places.openIn('tab');
  // What the person had changed in this place stays.
  await here.rewindFiles('turn-1');
  const { '0.txt': zero, deep, 'mine.txt': mine } = third;
  expect(await readFiles('tab')).toEqual({ '0.txt': zero, deep, 'mine.txt': mine });
  await here.rewind('turn-1 again');
  expect(await readFiles('tab')).toEqual(first);
  await here.close();
  // Each is there once, and nothing else is left of the moves.
  for (const place of ['tab', 'cloud'] as const) {
    const { roots } = places[place].workspace;
    const pinned = (await listPinned(roots, movingId)).map(({ id }) => id);
    expect(new Set(pinned).size).toBe(pinned.length);
    expect(await roots.list({ kind: 'branch' })).toEqual([]);
  }
});

it('sends a checkpoint once, and contents that only checkpoints have with it', async () => {
  const { fs } = places.tab.workspace;
  const noise = new Uint8Array(60_000);
  crypto.getRandomValues(noise);
  await fs.writeFile('/workspace/old.bin', noise);
  await playIn('tab', 0);
  await fs.rm('/workspace/old.bin');
  await playIn('tab', 1);
  await move();
  const whole = places.bytes;
  expect(whole).toBeGreaterThan(60_000);
  await back();
  await move();
  expect(places.bytes - whole).toBeLessThan(40_000);
  const there = await places.openIn('cloud');
  await there.rewindFiles('turn-0');
  expect(await places.cloud.workspace.fs.readFile('/workspace/old.bin')).toEqual(noise);
  await there.close();
});

it(
  'names a file that is too large, and goes without the checkpoints that have it once it is removed',
  { timeout: 240_000 },
  async () => {
    const { fs } = places.tab.workspace;
    await fs.writeFile('/workspace/large.bin', new Uint8Array(33_554_432));
    await playIn('tab', 0);
    await expect(move()).rejects.toMatchObject({
      code: 'limit-exceeded',
      message: expect.stringContaining(
        'The file /workspace/large.bin has 33554432 bytes',
      ) as string,
      data: { path: '/workspace/large.bin' },
    });
    await fs.rm('/workspace/large.bin');
    await playIn('tab', 1);
    await playIn('tab', 2);
    await move();
    const there = await places.openIn('cloud');
    await there.rewindFiles('turn-2');
    expect(Object.keys(await readFiles('cloud'))).toEqual(['0.txt', '1.txt']);
    expect(await there.rewindFiles('turn-0')).toMatchObject({ canRewind: false });
    await there.close();
  },
);

const uses = (name: string, input: Record<string, unknown>): ContentBlock => ({
  type: 'tool_use',
  id: `call-${name}`,
  name,
  input,
});

it('keeps tasks, todos, the plan, and which files the model has read', async () => {
  await places.tab.workspace.fs.writeFile('/workspace/read.txt', 'before');
  const plan = toPlanPath(movingId);
  const todos = [{ content: 'Look', status: 'pending', activeForm: 'Looking' }];
  const model = listModel('claude-test', [
    asks(
      uses('TaskCreate', { subject: 'Mend it', description: 'All of it.' }),
      uses('TodoWrite', { todos }),
      uses('Read', { file_path: '/workspace/read.txt' }),
      uses('Write', { file_path: plan, content: 'The plan.' }),
    ),
    says('Done.'),
  ]);
  const here = await places.openIn('tab', { model, toolSearch: false, permissionMode: 'plan' });
  await play(here, 0);
  await here.close();
  const before = await loadJournal(places.tab.workspace, movingId);
  expect(before.states.size).toBeGreaterThanOrEqual(2);
  await move();
  const after = await loadJournal(places.cloud.workspace, movingId);
  expect([...after.states]).toEqual([...before.states]);
  expect(await places.cloud.workspace.fs.readFile(plan, 'utf8')).toBe('The plan.');
  // It has read the file: it needn't read it again to change it.
  const edits = listModel('claude-test', [
    asks(
      uses('Edit', { file_path: '/workspace/read.txt', old_string: 'before', new_string: 'after' }),
    ),
    says('Done.'),
  ]);
  const there = await places.openIn('cloud', { model: edits });
  await play(there, 1);
  await there.close();
  expect(await places.cloud.workspace.fs.readFile('/workspace/read.txt', 'utf8')).toBe('after');
});
