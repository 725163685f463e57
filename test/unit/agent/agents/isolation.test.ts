// Sub-agents on branches of the workspace, through whole queries over a real inline host: what is merged, and when.
import { describe, expect, it } from 'vitest';
import type { Host } from '../../../../src/agent/host.ts';
import type { ScriptTurn } from '../../../../src/model/script.ts';
import {
  isolated,
  listBranches,
  main,
  read,
  runIsolated,
} from '../../../support/turns/isolated-agents.ts';
import { callTool, openHost, say, write } from '../../../support/turns/run-hooked.ts';

describe('an isolated agent', () => {
  it('is asked about once, at its end, with the true diff and in its name', async () => {
    await using host = await openHost();
    let seen: unknown;
    const { asked, results } = await runIsolated(
      host,
      {
        main: main(isolated('Change them.')),
        'Change them.': [
          callTool('Read', { file_path: '/workspace/a.txt' }, 'call-b'),
          callTool(
            'Edit',
            { file_path: '/workspace/a.txt', old_string: 'one', new_string: 'two' },
            'call-c',
          ),
          write('/workspace/b.txt', 'b\n'),
          say('Changed.'),
        ],
      },
      {
        before: async (who, count) => {
          if (who === 'Change them.' && count === 4) seen = await read(host, '/workspace/a.txt');
        },
      },
    );
    expect(seen).toBe('one\n');
    expect(await read(host, '/workspace/a.txt')).toBe('two\n');
    expect(await read(host, '/workspace/b.txt')).toBe('b\n');
    expect(await listBranches(host)).toEqual([]);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({
      toolName: 'Agent',
      toolUseID: 'call-a',
      title: 'Merge what the agent "Change it" changed?',
      agentID: expect.stringMatching(/^a[\da-f]{8}$/u),
      changes: [
        { path: '/workspace/a.txt', type: 'update', additions: 1, deletions: 1 },
        { path: '/workspace/b.txt', type: 'create', additions: 1, deletions: 0 },
      ],
    });
    expect(results[0]).toContain('Changed.');
    expect(results[0]).toContain('Its changes were merged: /workspace/a.txt, /workspace/b.txt.');
  });

  it('is undone as a whole by the call that has begun it', async () => {
    await using host = await openHost();
    await runIsolated(host, {
      main: main(isolated('Change them.')),
      'Change them.': [write('/workspace/b.txt', 'b\n'), say('Changed.')],
    });
    const { history, fs } = host.workspace;
    expect(await read(host, '/workspace/b.txt')).toBe('b\n');
    expect(await history.undo('call-a')).toMatchObject({ type: 'undone' });
    expect(await fs.readdir('/workspace')).toEqual(['a.txt']);
    // Its own calls have changed its branch, which is gone.
    await expect(history.undo('call-0')).rejects.toThrow('The workspace has no root');
  });

  it('leaves no branch where it has changed nothing, and nobody is asked', async () => {
    await using host = await openHost();
    const { asked, results } = await runIsolated(host, {
      main: main(isolated('Look.')),
      'Look.': [callTool('Read', { file_path: '/workspace/a.txt' }, 'call-b'), say('Looked.')],
    });
    expect(asked).toEqual([]);
    expect(await listBranches(host)).toEqual([]);
    expect(results[0]).toContain('It changed no file.');
  });

  it('begins with main as it is at the call', async () => {
    await using host = await openHost();
    const { requests } = await runIsolated(host, {
      main: main(write('/workspace/new.txt', 'new\n'), isolated('Look.')),
      'Look.': [callTool('Read', { file_path: '/workspace/new.txt' }, 'call-b'), say('Looked.')],
    });
    expect(requests.at(-2)).toContain('1\\tnew');
  });

  it('merges beside what a person has typed meanwhile, into the same file too', async () => {
    await using host = await openHost();
    const path = '/workspace/long.txt';
    const lines = Array.from({ length: 30 }, (_, at) => `line ${at}`);
    await host.workspace.fs.writeFile(path, `${lines.join('\n')}\n`);
    const { asked } = await runIsolated(
      host,
      {
        main: main(isolated('Change it.')),
        'Change it.': [
          callTool('Read', { file_path: path }, 'call-b'),
          callTool(
            'Edit',
            { file_path: path, old_string: 'line 2\n', new_string: 'mine\n' },
            'call-c',
          ),
          say('Changed.'),
        ],
      },
      {
        before: async (who, count) => {
          if (who !== 'Change it.' || count !== 3) return;
          await host.workspace.fs.writeFile(
            path,
            `${lines.join('\n').replace('line 27', 'typed')}\n`,
          );
        },
      },
    );
    const merged = lines.join('\n').replace('line 27', 'typed').replace('line 2\n', 'mine\n');
    expect(await read(host, path)).toBe(`${merged}\n`);
    // Nothing of what the person has typed is in the question.
    expect(asked).toHaveLength(1);
    expect(JSON.stringify(asked[0]?.changes)).not.toContain('typed');
    expect(await listBranches(host)).toEqual([]);
  });

  it('has another turn where a person has typed in the same place, and nothing lands before', async () => {
    await using host = await openHost();
    const path = '/workspace/a.txt';
    let whileRetrying: unknown;
    const { asked, requests } = await runIsolated(
      host,
      {
        main: main(isolated('Change it.')),
        'Change it.': [
          callTool('Read', { file_path: path }, 'call-b'),
          callTool('Edit', { file_path: path, old_string: 'one', new_string: 'two' }, 'call-c'),
          write('/workspace/b.txt', 'b\n'),
          say('Changed.'),
          callTool('Read', { file_path: path }, 'call-d'),
          callTool(
            'Edit',
            { file_path: path, old_string: 'typed', new_string: 'typed, two' },
            'call-e',
          ),
          say('Changed again.'),
        ],
      },
      {
        before: async (who, count) => {
          if (who !== 'Change it.') return;
          if (count === 4) await host.workspace.fs.writeFile(path, 'typed\n');
          if (count === 5) whileRetrying = await host.workspace.fs.readdir('/workspace');
        },
      },
    );
    expect(whileRetrying).toEqual(['a.txt']);
    expect(await read(host, path)).toBe('typed, two\n');
    expect(await read(host, '/workspace/b.txt')).toBe('b\n');
    expect(asked.map(({ changes }) => changes?.map((one) => one.path))).toEqual([
      [path, '/workspace/b.txt'],
    ]);
    const told = requests.find((request) => request.includes('Nothing of your work is merged yet'));
    expect(told).toContain('-one\\n+two');
    expect(await listBranches(host)).toEqual([]);
  });

  it('reports the paths and a patch where that is in conflict again, and its branch stays', async () => {
    await using host = await openHost();
    const path = '/workspace/a.txt';
    const edit = (old_string: string, id: string) =>
      callTool('Edit', { file_path: path, old_string, new_string: 'mine' }, id);
    const readIt = (id: string) => callTool('Read', { file_path: path }, id);
    const { asked, results } = await runIsolated(
      host,
      {
        main: main(isolated('Change it.')),
        'Change it.': [
          readIt('call-b'),
          edit('one', 'call-c'),
          say('Changed.'),
          readIt('call-d'),
          edit('typed', 'call-e'),
          say('Changed again.'),
        ],
      },
      {
        before: async (who, count) => {
          if (who !== 'Change it.') return;
          if (count === 3) await host.workspace.fs.writeFile(path, 'typed\n');
          if (count === 6) await host.workspace.fs.writeFile(path, 'typed again\n');
        },
      },
    );
    expect(asked).toEqual([]);
    expect(await read(host, path)).toBe('typed again\n');
    const [branch = ''] = await listBranches(host);
    expect(results[0]).toContain('Changed again.');
    expect(results[0]).toContain('Nothing was merged: /workspace/a.txt');
    expect(results[0]).toContain('-typed\n+mine');
    expect(results[0]).toContain(`branch: ${branch}`);
    expect(await host.workspace.at(branch).fs.readFile(path, 'utf8')).toBe('mine\n');
  });

  it('merges into what a person has typed while they were asked, or not at all', async () => {
    await using host = await openHost();
    const path = '/workspace/a.txt';
    const questions: string[] = [];
    await runIsolated(
      host,
      {
        main: main(isolated('Change it.')),
        'Change it.': [
          write('/workspace/b.txt', 'b\n'),
          say('Changed.'),
          callTool('Read', { file_path: '/workspace/b.txt' }, 'call-b'),
          callTool('Write', { file_path: '/workspace/b.txt', content: 'typed, b\n' }, 'call-c'),
          say('Changed again.'),
        ],
      },
      {},
      async (_, __, { changes = [] }) => {
        questions.push(changes.map(({ path: changed }) => changed).join());
        if (questions.length === 1) {
          await host.workspace.fs.writeFile('/workspace/b.txt', 'typed\n');
          await host.workspace.fs.writeFile(path, 'typed\n');
        }
        return { behavior: 'allow' };
      },
    );
    expect(questions).toEqual(['/workspace/b.txt', '/workspace/b.txt']);
    expect(await read(host, path)).toBe('typed\n');
    expect(await read(host, '/workspace/b.txt')).toBe('typed, b\n');
    expect(await listBranches(host)).toEqual([]);
  });

  it('does not start where no branch can be made', async () => {
    await using host = await openHost();
    const { roots } = host.workspace;
    const workspace = Object.create(host.workspace, {
      roots: {
        value: { ...roots, branch: () => Promise.reject(new Error('There is no room for it.')) },
      },
    }) as Host['workspace'];
    const { results, requests } = await runIsolated(
      { ...host, workspace },
      {
        main: main(isolated('Write.')),
        'Write.': [write('/workspace/b.txt', 'b\n'), say('Written.')],
      },
    );
    expect(results[0]).toContain('There is no room for it.');
    expect(requests).toHaveLength(2);
  });

  it('has what its own isolated agents change merged into its branch', async () => {
    await using host = await openHost();
    const seen: unknown[] = [];
    const { asked } = await runIsolated(
      host,
      {
        main: main(isolated('Outer.')),
        'Outer.': [
          write('/workspace/outer.txt', 'outer\n'),
          isolated('Inner.', {}, 'call-inner'),
          say('Outer is done.'),
        ],
        'Inner.': [
          callTool('Write', { file_path: '/workspace/inner.txt', content: 'inner\n' }, 'call-i'),
          say('Inner is done.'),
        ],
      },
      {
        before: async (who, count) => {
          if (who === 'Outer.' && count === 3) {
            seen.push(await host.workspace.fs.readdir('/workspace'));
          }
        },
      },
    );
    expect(seen).toEqual([['a.txt']]);
    expect(asked.map(({ toolUseID }) => toolUseID)).toEqual(['call-a']);
    expect(await host.workspace.fs.readdir('/workspace')).toEqual([
      'a.txt',
      'inner.txt',
      'outer.txt',
    ]);
    expect(await listBranches(host)).toEqual([]);
  });

  it('tells of it in its notification, where it runs in the background', async () => {
    await using host = await openHost();
    const { requests } = await runIsolated(host, {
      main: [isolated('Write.', { run_in_background: true }), say('It runs.'), say('It is done.')],
      'Write.': [write('/workspace/b.txt', 'b\n'), say('Written.')],
    });
    expect(requests.at(-1)).toContain('Its changes were merged: /workspace/b.txt.');
    expect(await read(host, '/workspace/b.txt')).toBe('b\n');
  });

  it('is merged when the one before it is, so that each question has the true diff', async () => {
    await using host = await openHost();
    const path = '/workspace/long.txt';
    const lines = Array.from({ length: 30 }, (_, at) => `line ${at}\n`);
    await host.workspace.fs.writeFile(path, lines.join(''));
    const edit = (line: string, name: string): readonly ScriptTurn[] => [
      callTool('Read', { file_path: path }, `${name}-1`),
      callTool('Edit', { file_path: path, old_string: line, new_string: `${name}\n` }, `${name}-2`),
      say('Changed.'),
    ];
    const shown: string[][] = [];
    const present: string[][] = [];
    const { asked } = await runIsolated(
      host,
      {
        main: main(
          {
            blocks: ['First.', 'Second.'].map((prompt) => ({
              type: 'tool_use',
              id: `call-${prompt}`,
              name: 'Agent',
              input: {
                description: prompt,
                prompt,
                isolation: 'worktree',
                run_in_background: true,
              },
            })),
          },
          say('They run.'),
          say('One is done.'),
        ),
        'First.': edit('line 3\n', 'first'),
        'Second.': edit('line 25\n', 'second'),
      },
      {},
      async (_, __, { changes = [] }) => {
        const [hunk] = changes[0]?.structuredPatch ?? [];
        const before = hunk?.lines.filter((line) => !line.startsWith('+')) ?? [];
        const at = (hunk?.oldStart ?? 1) - 1;
        shown.push(before.map((line) => line.slice(1)));
        present.push((await read(host, path)).split('\n').slice(at, at + before.length));
        return { behavior: 'allow' };
      },
    );
    expect(asked).toHaveLength(2);
    expect(shown).toEqual(present);
    const merged = lines.join('').replace('line 3\n', 'first\n').replace('line 25\n', 'second\n');
    expect(await read(host, path)).toBe(merged);
    expect(await listBranches(host)).toEqual([]);
  });

  it('says so where somebody has dropped its branch', async () => {
    await using host = await openHost();
    const { results } = await runIsolated(
      host,
      {
        main: main(isolated('Write.')),
        'Write.': [write('/workspace/b.txt', 'b\n'), say('Written.')],
      },
      {
        before: async (who, count) => {
          const [branch = ''] = await listBranches(host);
          const { roots } = host.workspace;
          if (who === 'Write.' && count === 2)
            await roots.drop(branch, { author: { kind: 'user' } });
        },
      },
    );
    expect(results[0]).toContain('was dropped by somebody');
    expect(await host.workspace.fs.readdir('/workspace')).toEqual(['a.txt']);
  });

  it('leaves its branch where it is stopped, and nothing is merged', async () => {
    await using host = await openHost();
    const abortController = new AbortController();
    const running = runIsolated(
      host,
      {
        main: main(isolated('Write.')),
        'Write.': [write('/workspace/b.txt', 'b\n'), say('Written.')],
      },
      {
        permissionMode: 'acceptEdits',
        abortController,
        before: (who, count) => {
          if (who === 'Write.' && count === 2) abortController.abort();
        },
      },
    );
    await running.catch(() => undefined);
    const [branch = ''] = await listBranches(host);
    expect(await host.workspace.at(branch).fs.readdir('/workspace')).toEqual(['a.txt', 'b.txt']);
    expect(await host.workspace.fs.readdir('/workspace')).toEqual(['a.txt']);
  });
});
