// A session that enters a work tree, works there and leaves it, killed after any entry of its
// journal. There is a whole work tree or none. The session is where its files are, and it comes to
// the same end.
import { expect, it } from 'vitest';
import { isToolResultBlock, toResultText } from '../../../src/core/messages/blocks.ts';
import type { ContentBlock } from '../../../src/core/messages/blocks.ts';
import type { Model } from '../../../src/model/model.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { openWorkspace } from '../../../src/workspace/open-workspace.ts';
import { withFreeze } from '../../support/storage/freezing-medium.ts';
import { createDisk, playSession } from '../../support/sessions/kept-session.ts';
import type { Disk, Played } from '../../support/sessions/kept-session.ts';
import { assistantMessage } from '../../support/models/model-streams.ts';
import { toolUse } from '../../support/turns/plan-turns.ts';
import { makeProject, placeOf } from '../../support/turns/worktree-turns.ts';

const steps: readonly (readonly ContentBlock[])[] = [
  [toolUse('enter', 'EnterWorktree', { name: 'fix' })],
  [toolUse('work', 'Write', { file_path: 'b.txt', content: 'b' })],
  [toolUse('refused', 'ExitWorktree', { action: 'remove' })],
  [toolUse('keep', 'ExitWorktree', { action: 'keep' })],
  [toolUse('home', 'Write', { file_path: 'home.txt', content: 'h' })],
  [toolUse('again', 'EnterWorktree', { name: 'other' })],
  [toolUse('more', 'Write', { file_path: 'c.txt', content: 'c' })],
  [toolUse('remove', 'ExitWorktree', { action: 'remove', discard_changes: true })],
  [toolUse('end', 'Write', { file_path: 'end.txt', content: 'e' })],
];

/** Answers by what the conversation has. */
const model: Model = {
  name: 'claude-test',
  apiKeySource: 'none',
  async *stream({ messages }) {
    const answered = messages.flatMap(({ content }) =>
      typeof content === 'string' ? [] : content.filter(isToolResultBlock),
    );
    const content = steps[answered.length] ?? [{ type: 'text' as const, text: 'Done.' }];
    const stop_reason = steps[answered.length] ? 'tool_use' : 'end_turn';
    yield* toEvents(assistantMessage(content, { stop_reason }));
    await Promise.resolve();
  },
};

async function createProjectDisk(): Promise<Disk> {
  const disk = createDisk();
  const workspace = await openWorkspace(disk.medium, { name: 'kept' });
  await using host = await createInlineHost({ workspace });
  await makeProject(host);
  await workspace[Symbol.asyncDispose]();
  return disk;
}

const play = (disk: Disk, freezeAfter = Infinity): Promise<Played> =>
  playSession(disk, {
    prompts: ['Go.'],
    model,
    worktrees: true,
    toolSearch: false,
    permissionMode: 'bypassPermissions',
    freezeAfter,
  });

/** Every file on the disk, those of git included. */
async function readAll({ medium }: Disk): Promise<Map<string, string>> {
  const workspace = await openWorkspace(
    withFreeze(medium, () => false),
    { name: 'kept' },
  );
  const files = new Map<string, string>();
  const visit = async (directory: string): Promise<void> => {
    for (const entry of await workspace.fs.readdir(directory, { withFileTypes: true })) {
      const path = `${directory}/${entry.name}`;
      if (entry.isDirectory()) await visit(path);
      else files.set(path, await workspace.fs.readFile(path, 'utf8'));
    }
  };
  await visit('/workspace');
  await workspace[Symbol.asyncDispose]();
  return files;
}

/** The names of the work trees that are there, each of which is whole. */
function listWhole(files: ReadonlyMap<string, string>): string[] {
  return ['fix', 'other'].filter((name) => {
    const parts = [
      ...[`${placeOf(name)}/.git`, `${placeOf(name)}/src/code.ts`],
      ...[`/workspace/.git/worktrees/${name}/gitdir`, `/workspace/.git/worktrees/${name}/index`],
      `/workspace/.git/refs/heads/worktree-${name}`,
    ].map((path) => files.has(path));
    expect(new Set(parts).size, `${name}: ${parts.join()}`).toBe(1);
    if (parts[0]) expect(files.has('/workspace/.worktrees/.gitignore')).toBe(true);
    return parts[0];
  });
}

/** What the model was told, and what is there. */
async function toEnding({ fold }: Played, disk: Disk) {
  const told = fold.messages.flatMap(({ content }) =>
    typeof content === 'string' ? [] : content.filter(isToolResultBlock).map(toResultText),
  );
  const files = await readAll(disk);
  const work = [...files.keys()].filter((path) => !path.startsWith('/workspace/.git/'));
  return { told, work, whole: listWhole(files) };
}

it('a session that is killed after any entry has a whole work tree or none, and comes to the same end', async () => {
  const first = await createProjectDisk();
  const whole = await play(first);
  const expected = await toEnding(whole, first);
  expect(expected.whole).toEqual(['fix']);
  expect(expected.work.map((path) => path.replace('/workspace/', ''))).toEqual([
    ...[
      '.worktrees/.gitignore',
      '.worktrees/fix/.git',
      '.worktrees/fix/a.txt',
      '.worktrees/fix/b.txt',
      '.worktrees/fix/src/code.ts',
    ],
    ...['.worktrees/fix/src/secret.txt', 'a.txt', 'end.txt', 'home.txt'],
    ...['src/code.ts', 'src/secret.txt'],
  ]);
  expect(expected.told.join('\n')).toContain("holds 1 file that isn't committed.");

  const moves = whole.entries.flatMap(({ type, n, ...entry }) =>
    type === 'state' && 'key' in entry && entry.key === 'worktree' ? [n] : [],
  );
  expect(moves).toHaveLength(4);
  // Around each move, and a few of the others: all of them by ALL_KILLS.
  const near = whole.boundaries.filter((n) => moves.some((at) => Math.abs(n - at) <= 1));
  const wanted = process.env['ALL_KILLS'] ? whole.boundaries.slice(0, -1) : near;
  for (const after of wanted) {
    const disk = await createProjectDisk();
    const killed = await play(disk, after);
    expect(killed.isFrozen).toBe(true);
    const there = listWhole(await readAll(disk));
    const made = moves.filter((at, index) => index !== 1 && at <= after).length;
    expect(there, `after ${after}`).toEqual([[], ['fix'], ['fix', 'other'], ['fix']][made]);
    expect(await toEnding(await play(disk), disk), `after ${after}`).toEqual(expected);
  }
});
