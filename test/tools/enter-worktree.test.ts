// EnterWorktree in whole turns; how a work tree is left is shown in exit-worktree.test.ts.
import { describe, expect, it } from 'vitest';
import type { QueryOptions } from '../../src/agent/query-options.ts';
import { createInlineHost } from '../../src/hosts/inline/create-inline-host.ts';
import { enterWorktreeTool } from '../../src/tools/enter-worktree/tool.ts';
import { asks, says, type Reply } from '../support/turns/play-turns.ts';
import { playPlan, toolUse, yes } from '../support/turns/plan-turns.ts';
import {
  enters,
  openProject,
  placeOf,
  projectFiles,
  reads,
  withGit,
  writes,
} from '../support/turns/worktree-turns.ts';

async function play(
  replies: readonly Reply[],
  options: Partial<QueryOptions> = {},
  files = projectFiles,
) {
  const host = options.host ?? (await openProject(files));
  return playPlan([...replies, says('Done.')], undefined, {
    worktrees: true,
    permissionMode: 'bypassPermissions',
    ...options,
    host,
  });
}

describe('EnterWorktree', () => {
  it('makes a work tree on a branch of its own, and the next calls work there', async () => {
    const turn = await play([enters(), writes('b.txt', 'b\n'), reads('a.txt')]);
    expect(turn.told('enter')).toBe(
      `Your working directory is now ${placeOf('fix')}, on branch worktree-fix. Relative paths and cells work there from your next message on. The files in /workspace stay as they are. Commit what is to stay, and call ExitWorktree when you are done.`,
    );
    expect(await turn.file(`${placeOf('fix')}/b.txt`)).toBe('b\n');
    expect(await turn.file('/workspace/b.txt')).toBeUndefined();
    expect(turn.told('read')).toContain('a');
    const listed = await withGit(turn.host, (git) => git.worktree.list());
    expect(listed.map(({ path, branch }) => [path, branch])).toEqual([
      ['/workspace', 'main'],
      [placeOf('fix'), 'worktree-fix'],
    ]);
    // Nothing of it is among what isn't tracked.
    expect((await withGit(turn.host, (git) => git.status())).files).toEqual([]);
    const output = turn.messages.find(
      (message) => message.type === 'user' && message.tool_use_result !== undefined,
    );
    expect(output).toMatchObject({
      tool_use_result: { worktreePath: placeOf('fix'), worktreeBranch: 'worktree-fix' },
    });
  });

  it('leaves where the calls of its own message work as it was', async () => {
    const both = asks(
      toolUse('enter', 'EnterWorktree', { name: 'fix' }),
      toolUse('write', 'Write', { file_path: 'b.txt', content: 'b' }),
    );
    const turn = await play([both]);
    expect(await turn.file('/workspace/b.txt')).toBe('b');
  });

  it('makes up a name where it is given none', async () => {
    const turn = await play([enters({})]);
    expect(turn.told('enter')).toMatch(
      /\/\.worktrees\/work-[0-9a-f]{8}, on branch worktree-work-/u,
    );
  });

  it('enters a work tree that is there', async () => {
    const host = await openProject();
    await withGit(host, (git) => git.worktree.add('/workspace/other', { branch: 'topic' }));
    const turn = await play([enters({ path: 'other' }), writes('b.txt', 'b')], { host });
    expect(turn.told('enter')).toContain('/workspace/other, on branch topic');
    expect(await turn.file('/workspace/other/b.txt')).toBe('b');
  });

  it.each<[string, object, string]>([
    ['a name that climbs', { name: '../x' }, `"../x" can't be a work tree's name.`],
    ['a name with dots', { name: 'a..b' }, `"a..b" can't be a work tree's name.`],
    ['a name that git locks', { name: 'a.lock' }, `"a.lock" can't be a work tree's name.`],
    ['a long name', { name: 'a'.repeat(65) }, "can't be a work tree's name."],
    ['an empty name', { name: '' }, `"" can't be a work tree's name.`],
    ['two wishes', { name: 'a', path: 'b' }, 'Give name for a new work tree, or path for one'],
    ['no work tree', { path: 'src' }, '/workspace/src is no further work tree of /workspace.'],
    ['the first work tree', { path: '.' }, '/workspace is no further work tree of /workspace.'],
  ])('refuses %s in a sentence', async (_what, input, sentence) => {
    const turn = await play([enters(input)]);
    expect(turn.told('enter')).toContain(sentence);
    expect(await turn.file(`${placeOf('x')}/a.txt`)).toBeUndefined();
  });

  it('refuses what is there already, and a second work tree before the first is left', async () => {
    const host = await openProject();
    await withGit(host, (git) => git.branch.create('worktree-taken'));
    await host.workspace.fs.mkdir(placeOf('there'), { recursive: true });
    const turn = await play(
      [
        enters({ name: 'taken' }, 'e1'),
        enters({ name: 'there' }, 'e2'),
        enters({ name: 'one' }, 'e3'),
        enters({ name: 'two' }, 'e4'),
      ],
      { host },
    );
    expect(turn.told('e1')).toContain('There is a branch worktree-taken already.');
    expect(turn.told('e2')).toContain(`${placeOf('there')} is there already.`);
    expect(turn.told('e4')).toContain(`You are in the work tree ${placeOf('one')} already.`);
  });

  it('says what to do where there is no repository, and none with a commit', async () => {
    const none = await play([enters()], { host: await createInlineHost() });
    expect(none.told('enter')).toContain(
      '/workspace is in no git repository, so no work tree can be made of it.',
    );
    const host = await createInlineHost();
    await withGit(host, (git) => git.init());
    const empty = await play([enters()], { host });
    expect(empty.told('enter')).toContain('The repository /workspace has no commit yet');
  });

  it('asks in the default mode, is spared by a rule, and is refused in plan mode', async () => {
    const host = await openProject();
    const asked = await playPlan(
      [enters(), says('Done.')],
      { EnterWorktree: [yes] },
      { host, worktrees: true },
    );
    expect(asked.asked).toEqual([{ toolName: 'EnterWorktree', input: { name: 'fix' } }]);
    const spared = await play([enters()], {
      permissionMode: 'default',
      allowedTools: ['EnterWorktree'],
    });
    expect(spared.told('enter')).toContain('Your working directory is now');
    const planning = await play([enters()], { permissionMode: 'plan' });
    expect(planning.told('enter')).toContain('the permission mode is plan');
  });

  it("isn't there without the option", async () => {
    const turn = await play([enters()], { worktrees: false });
    expect(turn.told('enter')).toContain('EnterWorktree');
    expect(await turn.file(`${placeOf('fix')}/a.txt`)).toBeUndefined();
  });
});

describe("EnterWorktree's definition", () => {
  it('is deferred, and changes files', () => {
    expect(enterWorktreeTool.shouldDefer).toBe(true);
    expect(enterWorktreeTool.isReadOnly()).toBe(false);
  });
});
