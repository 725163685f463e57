// The agent doesn't get by way of a work tree what rules keep from it. Rules stay where the session
// began, and hold for each copy of a path.
import { loadQuickjsWasm } from '#quickjs-wasm';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Host } from '../../../src/agent/host.ts';
import type { HooksOption } from '../../../src/agent/hooks/hooks.ts';
import type { QueryOptions } from '../../../src/agent/query-options.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { asks, says, type Reply } from '../../support/turns/play-turns.ts';
import { playPlan, toolUse, yes, type Answers } from '../../support/turns/plan-turns.ts';
import {
  enters,
  leaves,
  makeProject,
  placeOf,
  reads,
  withGit,
  writes,
} from '../../support/turns/worktree-turns.ts';

async function open(): Promise<Host> {
  const host = await createInlineHost({ loadWasm: loadQuickjsWasm });
  onTestFinished(() => host[Symbol.asyncDispose]());
  await makeProject(host);
  return host;
}

function play(
  host: Host,
  replies: readonly Reply[],
  options: Partial<QueryOptions> = {},
  answers?: Answers,
) {
  return playPlan([...replies, says('Done.')], answers, {
    ...{ worktrees: true, permissionMode: 'bypassPermissions', toolSearch: false, host },
    ...options,
  });
}

const runs = (code: string, id = 'cell') => asks(toolUse(id, 'Repl', { code }));
const secret = 'the secret';
const inTree = `${placeOf('fix')}/src/secret.txt`;

describe('a file that may not be read', () => {
  const denied = { disallowedTools: ['Read(src/secret.txt)'] } as const;

  it("isn't in the work tree, and is read there by no tool, no cell and no command of git", async () => {
    const host = await open();
    const turn = await play(
      host,
      [
        enters(),
        reads('src/secret.txt'),
        reads('/workspace/src/secret.txt', 'first'),
        asks(toolUse('glob', 'Glob', { pattern: '**/*.txt' })),
        asks(toolUse('grep', 'Grep', { pattern: 'secret|code', output_mode: 'content' })),
        runs(`const tried = [];
          for (const path of ['src/secret.txt', ${JSON.stringify(inTree)}, '/workspace/src/secret.txt']) {
            try { tried.push(fs.readFileSync(path, 'utf8')); } catch (error) { tried.push(error.code); }
          }
          try { tried.push(String(await git.readFile('HEAD', 'src/secret.txt'))); } catch (error) { tried.push('no'); }
          try { await git.restore('src/secret.txt', { source: 'HEAD' }); } catch {}
          try { await git.reset({ mode: 'hard' }); } catch {}
          try { tried.push(fs.readFileSync('src/secret.txt', 'utf8')); } catch (error) { tried.push(error.code); }
          JSON.stringify([process.cwd(), tried])`),
      ],
      denied,
    );
    expect(await turn.file(inTree)).toBeUndefined();
    const told = ['read', 'first', 'glob', 'grep', 'cell'].map((id) => turn.told(id));
    expect(told.join('\n')).not.toContain(secret);
    expect(told[2]).not.toContain('secret.txt');
    // What they may see, they do.
    expect(told[2]).toContain('a.txt');
    expect(told[3]).toContain('src/code.ts');
    expect(turn.told('cell')).toContain(placeOf('fix'));
    expect(turn.told('cell')).toContain('ENOENT');
  });

  it('may not be read where somebody has put it, in this session, the next one, or from outside', async () => {
    const host = await open();
    const first = await play(host, [enters(), leaves({ action: 'keep' })], denied);
    await host.workspace.fs.writeFile(inTree, secret);
    expect(first.told('exit')).toContain('Kept');
    const next = await playPlan(
      [
        ...[reads(inTree), reads('.worktrees/fix/src/secret.txt', 'relative')],
        ...[runs(`fs.readFileSync(${JSON.stringify(inTree)}, 'utf8')`), says('Done.')],
      ],
      undefined,
      { sessionId: 's2', host, permissionMode: 'bypassPermissions', toolSearch: false, ...denied },
    );
    const told = ['read', 'relative', 'cell'].map((id) => next.told(id)).join('\n');
    expect(told).not.toContain(secret);
  });

  it("isn't read in a directory that a hook gives for the work tree", async () => {
    const host = await open();
    const { fs } = host.workspace;
    const worktreePath = '/workspace/copies/one';
    await fs.mkdir(`${worktreePath}/src`, { recursive: true });
    await fs.writeFile(`${worktreePath}/src/secret.txt`, secret);
    const hookSpecificOutput = { hookEventName: 'WorktreeCreate', worktreePath } as const;
    const hooks: HooksOption = {
      WorktreeCreate: [{ hooks: [() => Promise.resolve({ hookSpecificOutput })] }],
    };
    const turn = await play(
      host,
      [
        enters(),
        reads('src/secret.txt'),
        leaves({ action: 'keep' }),
        reads(`${worktreePath}/src/secret.txt`, 'after'),
        runs(`fs.readFileSync('copies/one/src/secret.txt', 'utf8')`),
      ],
      { ...denied, hooks },
    );
    const told = ['read', 'after', 'cell'].map((id) => turn.told(id)).join('\n');
    expect(told).not.toContain(secret);
  });
});

describe('rules on writing', () => {
  it('hold in the work tree: what is denied is refused, and what asks is asked about', async () => {
    const host = await open();
    const turn = await play(
      host,
      [
        enters(),
        reads('a.txt', 'r1'),
        reads('src/code.ts', 'r2'),
        writes('a.txt', 'changed', 'denied'),
        writes('src/code.ts', 'changed', 'asked'),
        runs(`fs.writeFileSync('a.txt', 'by a cell')`, 'cell'),
      ],
      { settings: { permissions: { deny: ['Edit(a.txt)'], ask: ['Edit(src/**)'] } } },
      { Write: [yes], EnterWorktree: [yes], Repl: [yes] },
    );
    expect(turn.asked.map(({ toolName }) => toolName)).toEqual(['Write']);
    expect(turn.told('denied')).toContain('the deny rule Edit(a.txt)');
    expect(await turn.file(`${placeOf('fix')}/a.txt`)).toBe('a\n');
    expect(await turn.file(`${placeOf('fix')}/src/code.ts`)).toBe('changed');
  });

  it('allow the same file in the work tree, and nothing that they ask about or deny there', async () => {
    const host = await open();
    const turn = await play(
      host,
      [
        enters(),
        ...[reads('src/code.ts', 'r1'), reads('a.txt', 'r2')],
        writes('src/code.ts', 'allowed', 'w1'),
        runs(`fs.writeFileSync('src/new.ts', 'by a cell')`, 'c1'),
        writes('a.txt', 'asked', 'w2'),
        writes('src/.vscode/tasks.json', '{}', 'w3'),
        writes('src/secret.txt', 'denied', 'w4'),
      ],
      {
        permissionMode: 'default',
        settings: {
          permissions: {
            allow: ['EnterWorktree', 'Edit(src/**)', 'Repl(fs.write:src/**)'],
            ask: ['Edit(//workspace/.worktrees/fix/a.txt)'],
            deny: ['Edit(src/secret.txt)'],
          },
        },
      },
      { Write: [yes, yes] },
    );
    expect(turn.asked.map(({ toolName, input }) => [toolName, Object(input)['file_path']])).toEqual(
      [
        ['Write', 'a.txt'],
        ['Write', 'src/.vscode/tasks.json'],
      ],
    );
    expect(turn.told('w4')).toContain('the deny rule Edit(src/secret.txt)');
    expect(await turn.file(`${placeOf('fix')}/src/code.ts`)).toBe('allowed');
    expect(await turn.file(`${placeOf('fix')}/src/new.ts`)).toBe('by a cell');
  });

  it('allow nothing in a directory that only a hook says is a copy', async () => {
    const host = await open();
    const worktreePath = '/workspace/copies/one';
    await host.workspace.fs.mkdir(worktreePath, { recursive: true });
    const hookSpecificOutput = { hookEventName: 'WorktreeCreate', worktreePath } as const;
    const hooks: HooksOption = {
      WorktreeCreate: [{ hooks: [() => Promise.resolve({ hookSpecificOutput })] }],
    };
    const turn = await play(
      host,
      [enters(), writes('src/new.ts', 'asked')],
      {
        ...{ hooks, permissionMode: 'default' },
        settings: { permissions: { allow: ['EnterWorktree', 'Edit(src/**)'] } },
      },
      { Write: [yes] },
    );
    expect(turn.asked.map(({ toolName }) => toolName)).toEqual(['Write']);
    expect(await turn.file(`${worktreePath}/src/new.ts`)).toBe('asked');
  });

  it('ask about what steers programs, in a work tree as elsewhere', async () => {
    const host = await open();
    const turn = await play(
      host,
      [enters(), writes('.claude/settings.json', '{}')],
      {},
      { Write: [yes] },
    );
    expect(turn.asked.map(({ toolName }) => toolName)).toEqual(['Write']);
  });

  it("don't become milder by settings that stand in the work tree, also when the session is resumed", async () => {
    const host = await open();
    const { fs } = host.workspace;
    const settings = (permissions: object) => JSON.stringify({ permissions });
    await fs.mkdir('/workspace/.claude');
    await fs.writeFile('/workspace/.claude/settings.json', settings({ deny: ['Edit(a.txt)'] }));
    const trustWorkspace = () => true;
    const options = { settingSources: ['project'], trustWorkspace } as const;
    await play(host, [enters()], options);
    await fs.mkdir(`${placeOf('fix')}/.claude`);
    const loose = settings({ allow: ['Edit(**)'], additionalDirectories: ['/'] });
    await fs.writeFile(`${placeOf('fix')}/.claude/settings.json`, loose);
    const again = await play(host, [writes('a.txt', 'changed')], { ...options, resume: 's1' });
    expect(again.told('write')).toContain('the deny rule Edit(a.txt)');
  });
});

describe('the place of a work tree', () => {
  it("isn't one that a link leads to", async () => {
    const host = await open();
    await host.workspace.fs.mkdir('/workspace/elsewhere');
    await host.workspace.fs.symlink('elsewhere', '/workspace/.worktrees');
    const turn = await play(host, [enters()]);
    expect(turn.told('enter')).toContain('/workspace/.worktrees is a link, or behind one.');
    expect(await withGit(host, (git) => git.worktree.list())).toHaveLength(1);
  });

  it("can't be asked for by a cell, whose draft it would leave behind", async () => {
    const host = await open();
    const turn = await play(host, [
      runs(`fs.writeFileSync('new.txt', 'n'); await tools.EnterWorktree({ name: 'fix' })`),
      runs(`await git['session-worktree']`, 'step'),
    ]);
    expect(turn.told('cell')).toContain('A cell works where it began until it ends.');
    expect(await withGit(host, (git) => git.worktree.list())).toHaveLength(1);
  });
});
