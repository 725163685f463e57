// ExitWorktree in whole turns: what stays, what goes, and what is refused.
import { describe, expect, it } from 'vitest';
import type { QueryOptions } from '../../src/agent/query-options.ts';
import type { HooksOption } from '../../src/agent/hooks/hooks.ts';
import { exitWorktreeTool } from '../../src/tools/exit-worktree/tool.ts';
import { says, type Reply } from '../support/turns/play-turns.ts';
import { playPlan, yes } from '../support/turns/plan-turns.ts';
import {
  author,
  enters,
  leaves,
  openProject,
  placeOf,
  reads,
  withGit,
  writes,
} from '../support/turns/worktree-turns.ts';

async function play(replies: readonly Reply[], options: Partial<QueryOptions> = {}) {
  const host = options.host ?? (await openProject());
  return playPlan([...replies, says('Done.')], undefined, {
    worktrees: true,
    permissionMode: 'bypassPermissions',
    ...options,
    host,
  });
}

const remove = { action: 'remove' };

describe('ExitWorktree', () => {
  it('goes back, and keeps the work tree', async () => {
    const turn = await play([
      enters(),
      writes('b.txt', 'b'),
      leaves({ action: 'keep' }),
      writes('c.txt', 'c', 'after'),
    ]);
    expect(turn.told('exit')).toBe(
      `Kept ${placeOf('fix')} and the branch worktree-fix. Your working directory is /workspace again, from your next message on.`,
    );
    expect(await turn.file(`${placeOf('fix')}/b.txt`)).toBe('b');
    expect(await turn.file('/workspace/c.txt')).toBe('c');
    const output = turn.messages.findLast(
      (message) => message.type === 'user' && 'action' in Object(message.tool_use_result),
    );
    expect(output).toMatchObject({
      tool_use_result: {
        action: 'keep',
        originalCwd: '/workspace',
        worktreePath: placeOf('fix'),
        worktreeBranch: 'worktree-fix',
      },
    });
  });

  it('removes a work tree with nothing in it, with its branch and its folder', async () => {
    const turn = await play([enters(), leaves(remove)]);
    expect(turn.told('exit')).toContain(`Removed ${placeOf('fix')} and the branch worktree-fix.`);
    const { fs } = turn.host.workspace;
    expect(await fs.readdir('/workspace')).not.toContain('.worktrees');
    expect(await fs.readdir('/workspace/.git')).not.toContain('worktrees');
    const branches = await withGit(turn.host, (git) => git.branch.list());
    expect(branches.map(({ name }) => name)).toEqual(['main']);
  });

  it('is refused with the counts where something would be lost, and gives it up only when told to', async () => {
    const host = await openProject();
    const opened = await playPlan(
      [enters(), writes('committed.txt', 'c'), says('Waiting.')],
      undefined,
      { worktrees: true, permissionMode: 'bypassPermissions', host },
    );
    expect(opened.told('write')).toContain('committed.txt');
    await withGit(
      host,
      async (git) => {
        await git.add('.');
        await git.commit({ message: 'only here', author });
      },
      placeOf('fix'),
    );
    const turn = await play(
      [
        writes('x/new.txt', 'n', 'w1'),
        writes('x/other.txt', 'n', 'w2'),
        leaves(remove, 'first'),
        leaves({ ...remove, discard_changes: true }, 'second'),
      ],
      { host, resume: 's1' },
    );
    expect(turn.told('first')).toContain(
      `The work tree ${placeOf('fix')} holds 2 files that aren't committed and 1 commit that is on no other branch.`,
    );
    expect(turn.told('second')).toContain('What was given up: 2 changed files and 1 commit.');
    const output = turn.messages.findLast(
      (message) => message.type === 'user' && 'action' in Object(message.tool_use_result),
    );
    expect(output).toMatchObject({ tool_use_result: { discardedFiles: 2, discardedCommits: 1 } });
  });

  it('counts no commit that is merged elsewhere', async () => {
    const host = await openProject();
    await playPlan([enters(), writes('b.txt', 'b'), says('Waiting.')], undefined, {
      ...{ worktrees: true, permissionMode: 'bypassPermissions', host },
    });
    const commitAll = async (git: Parameters<Parameters<typeof withGit>[1]>[0]) => {
      await git.add('.');
      await git.commit({ message: 'work', author });
    };
    await withGit(host, commitAll, placeOf('fix'));
    await withGit(host, (git) => git.merge('worktree-fix'));
    const turn = await play([leaves(remove)], { host, resume: 's1' });
    expect(turn.told('exit')).toContain('worktree-fix. Your working directory');
    expect(await turn.file('/workspace/b.txt')).toBe('b');
  });

  it('never removes what was there before', async () => {
    const host = await openProject();
    await withGit(host, (git) => git.worktree.add('/workspace/other', { branch: 'topic' }));
    const turn = await play([enters({ path: 'other' }), leaves(remove)], { host });
    expect(turn.told('exit')).toContain(
      "/workspace/other was there before you entered it, so it isn't removed.",
    );
    expect(await turn.file('/workspace/other/a.txt')).toBe('a\n');
  });

  it('goes back from a work tree that a person has removed meanwhile', async () => {
    const host = await openProject();
    await playPlan([enters(), says('Waiting.')], undefined, {
      ...{ worktrees: true, permissionMode: 'bypassPermissions', host },
    });
    await withGit(host, (git) => git.worktree.remove(placeOf('fix'), { force: true }));
    const turn = await play([leaves(remove), reads('a.txt')], { host, resume: 's1' });
    expect(turn.told('exit')).toContain('Your working directory is /workspace again');
    expect(turn.told('read')).toContain('a');
  });

  it.each<[string, object, string]>([
    ['outside of a work tree', { action: 'keep' }, 'You are in no work tree'],
    ['with a contradiction', { action: 'keep', discard_changes: true }, 'discard_changes belongs'],
  ])('is refused %s', async (_what, input, sentence) => {
    const turn = await play([leaves(input)]);
    expect(turn.told('exit')).toContain(sentence);
  });

  it('asks before it removes, and goes back without a question', async () => {
    const host = await openProject();
    const options = { host, worktrees: true } as const;
    const answers = { EnterWorktree: [yes], ExitWorktree: [yes] };
    const kept = await playPlan(
      [enters(), leaves({ action: 'keep' }), enters({ path: placeOf('fix') }, 'again'), says('.')],
      answers,
      options,
    );
    expect(kept.asked.map(({ toolName }) => toolName)).toEqual(['EnterWorktree', 'EnterWorktree']);
    const other = await openProject();
    const removed = await playPlan([enters(), leaves(remove), says('.')], answers, {
      ...options,
      host: other,
    });
    expect(removed.asked.map(({ toolName }) => toolName)).toEqual([
      'EnterWorktree',
      'ExitWorktree',
    ]);
  });
});

describe('the hooks of work trees', () => {
  it('hear of each, with where the session works', async () => {
    const heard: unknown[] = [];
    const note = {
      hooks: [
        (input: object) => {
          const { hook_event_name, cwd, old_cwd, new_cwd, name, worktree_path } = input as Record<
            string,
            unknown
          >;
          heard.push([hook_event_name, cwd, old_cwd ?? name ?? worktree_path, new_cwd]);
          return Promise.resolve({});
        },
      ],
    };
    const hooks = {
      WorktreeCreate: [note],
      WorktreeRemove: [note],
      CwdChanged: [note],
    } as HooksOption;
    await play([enters(), leaves(remove)], { hooks });
    const place = placeOf('fix');
    expect(heard).toEqual([
      ['WorktreeCreate', '/workspace', 'fix', undefined],
      ['CwdChanged', '/workspace', '/workspace', place],
      ['WorktreeRemove', place, place, undefined],
      ['CwdChanged', place, place, '/workspace'],
    ]);
  });

  it('may make the work tree themselves, and remove it', async () => {
    const host = await openProject();
    const { fs } = host.workspace;
    const hooks: HooksOption = {
      WorktreeCreate: [
        {
          hooks: [
            async () => {
              await fs.mkdir('/workspace/copies/one', { recursive: true });
              const worktreePath = '/workspace/copies/one';
              return { hookSpecificOutput: { hookEventName: 'WorktreeCreate', worktreePath } };
            },
          ],
        },
      ],
      WorktreeRemove: [
        { hooks: [() => fs.rm('/workspace/copies', { recursive: true }).then(() => ({}))] },
      ],
    };
    const turn = await play(
      [
        enters(),
        writes('b.txt', 'b'),
        leaves(remove, 'no'),
        leaves({ ...remove, discard_changes: true }),
      ],
      { host, hooks },
    );
    expect(turn.told('enter')).toContain('Your working directory is now /workspace/copies/one.');
    expect(turn.told('write')).toContain('copies/one/b.txt');
    expect(turn.told('no')).toContain('was made by the host');
    expect(turn.told('exit')).toContain('Removed /workspace/copies/one.');
    expect(await turn.file('/workspace/copies/one/b.txt')).toBeUndefined();
  });

  it.each<[string, object, string]>([
    ['refuses', { decision: 'block', reason: 'not today' }, 'refused the work tree: not today'],
    [
      'gives no directory',
      { hookSpecificOutput: { hookEventName: 'WorktreeCreate', worktreePath: '/elsewhere' } },
      'gave /elsewhere, which is no directory of the workspace',
    ],
  ])('end it in a sentence where one %s', async (_what, answer, sentence) => {
    const hooks = { WorktreeCreate: [{ hooks: [() => Promise.resolve(answer)] }] } as HooksOption;
    const turn = await play([enters()], { hooks });
    expect(turn.told('enter')).toContain(sentence);
  });
});

describe("ExitWorktree's definition", () => {
  it('is deferred, and changes the session alone where the work tree stays', () => {
    expect(exitWorktreeTool.shouldDefer).toBe(true);
    expect(exitWorktreeTool.changesOnlySession({ action: 'keep' })).toBe(true);
    expect(exitWorktreeTool.changesOnlySession({ action: 'remove' })).toBe(false);
    expect(exitWorktreeTool.isDestructive({ action: 'remove', discard_changes: true })).toBe(true);
  });
});
