// What an isolated sub-agent may change, and who decides whether that is merged: rules, modes, a person, nobody.
import { describe, expect, it } from 'vitest';
import { openAgentBranch, openDryRun } from '../../../../src/agent/session/files/dry-run.ts';
import { deleteSession } from '../../../../src/agent/stored-sessions/manage-sessions.ts';
import {
  isolated,
  listBranches,
  main,
  read,
  runIsolated,
} from '../../../support/turns/isolated-agents.ts';
import type { ScriptTurn } from '../../../../src/model/script.ts';
import type { IsolatedOptions } from '../../../support/turns/isolated-agents.ts';
import { callTool, openHost, say, write } from '../../../support/turns/run-hooked.ts';

describe('the merge of an isolated agent', () => {
  it('keeps its branch where the person refuses, whose words are in the report', async () => {
    await using host = await openHost();
    const { results } = await runIsolated(
      host,
      {
        main: main(isolated('Write.')),
        'Write.': [write('/workspace/b.txt', 'b\n'), say('Written.')],
      },
      {},
      () => Promise.resolve({ behavior: 'deny', message: 'Not on a Friday' }),
    );
    const [branch = ''] = await listBranches(host);
    expect(results[0]).toContain(
      'The user refused the merge: Not on a Friday. Nothing was merged (b.txt).',
    );
    expect(results[0]).toContain(`stays on the branch ${branch}`);
    expect(await host.workspace.fs.readdir('/workspace')).toEqual(['a.txt']);
    const left = await openAgentBranch(host.workspace, branch, host.clock);
    expect((await left.changes()).map(({ path }) => path)).toEqual(['/workspace/b.txt']);
    await left.takeChanges();
    await left.dropChanges();
    expect(await read(host, '/workspace/b.txt')).toBe('b\n');
    await expect(openAgentBranch(host.workspace, branch, host.clock)).rejects.toMatchObject({
      code: 'bad-usage',
    });
  });

  it.each([
    ['merges where the mode allows edits', { permissionMode: 'acceptEdits' }, true],
    ['merges where a rule allows them', { allowedTools: ['Edit(b.txt)'] }, true],
    [
      'merges where a rule is on another tool',
      { permissionMode: 'acceptEdits', disallowedTools: ['NotebookEdit'] },
      true,
    ],
    ['keeps its branch where nothing allows them', {}, false],
    ['keeps its branch where a rule on Write alone allows', { allowedTools: ['Write'] }, false],
    ['keeps its branch where a rule on agents alone allows', { allowedTools: ['Agent'] }, false],
    ['keeps its branch in dontAsk', { permissionMode: 'dontAsk' }, false],
  ] as const)('without a person %s', async (_, options, isMerged) => {
    await using host = await openHost();
    const { results } = await runIsolated(
      host,
      {
        main: main(isolated('Write.')),
        'Write.': [write('/workspace/b.txt', 'b\n'), say('Written.')],
      },
      options as IsolatedOptions,
      null,
    );
    const [branch] = await listBranches(host);
    expect(branch === undefined).toBe(isMerged);
    expect(await host.workspace.fs.readdir('/workspace')).toEqual(
      isMerged ? ['a.txt', 'b.txt'] : ['a.txt'],
    );
    if (branch !== undefined) expect(results[0]).toContain(`branch: ${branch}`);
  });

  it('is held by deny rules, ask rules and protected paths as anywhere', async () => {
    await using host = await openHost();
    const { asked, requests } = await runIsolated(
      host,
      {
        main: main(isolated('Write.')),
        'Write.': [
          callTool('Write', { file_path: '/workspace/secret.txt', content: 'x' }, 'call-b'),
          callTool('Write', { file_path: '/workspace/asked.txt', content: 'x' }, 'call-c'),
          callTool('Write', { file_path: '/workspace/.git/config', content: 'x' }, 'call-d'),
          callTool('Write', { file_path: '/elsewhere/x.txt', content: 'x' }, 'call-e'),
          callTool('Write', { file_path: '/workspace/free.txt', content: 'x' }, 'call-f'),
          say('Done.'),
        ],
      },
      {
        disallowedTools: ['Edit(secret.txt)'],
        settings: { permissions: { ask: ['Edit(asked.txt)'] } },
      },
      (toolName) =>
        Promise.resolve(
          toolName === 'Agent' ? { behavior: 'allow' } : { behavior: 'deny', message: 'No.' },
        ),
    );
    expect(asked.map(({ toolUseID, toolName }) => [toolName, toolUseID])).toEqual([
      ['Write', 'call-c'],
      ['Write', 'call-d'],
      ['Agent', 'call-a'],
    ]);
    expect(asked[2]?.changes?.map(({ path }) => path)).toEqual(['/workspace/free.txt']);
    expect(requests.at(-2)).toContain('deny rule Edit(secret.txt)');
    expect(await host.workspace.fs.readdir('/workspace')).toEqual(['a.txt', 'free.txt']);
  });

  it('may change its branch in plan mode, and the diff is the report', async () => {
    await using host = await openHost();
    const { asked, results } = await runIsolated(
      host,
      {
        main: main(isolated('Write.')),
        'Write.': [write('/workspace/b.txt', 'planned\n'), say('So.')],
      },
      { permissionMode: 'plan' },
    );
    expect(asked).toEqual([]);
    expect(results[0]).toContain('+++ b/workspace/b.txt\n@@ -1,0 +1,1 @@\n+planned');
    expect(await host.workspace.fs.readdir('/workspace')).toEqual(['a.txt']);
    expect(await listBranches(host)).toHaveLength(1);
  });

  it('is asked about what it removes, also where the mode allows edits', async () => {
    await using host = await openHost();
    const { asked } = await runIsolated(
      host,
      {
        main: main(isolated('Remove.')),
        'Remove.': [
          callTool('Repl', { code: "await fs.promises.rm('a.txt')" }, 'call-b'),
          say('Gone.'),
        ],
      },
      { permissionMode: 'acceptEdits' },
    );
    expect(asked.map(({ toolName, defaultToNo }) => [toolName, defaultToNo])).toEqual([
      ['Agent', true],
    ]);
    expect(await host.workspace.fs.readdir('/workspace')).toEqual([]);
  });

  it('is refused where a rule denies by then what the agent was allowed', async () => {
    await using host = await openHost();
    const { asked, results } = await runIsolated(
      host,
      {
        main: main(isolated('Write.')),
        'Write.': [
          write('/workspace/b.txt', 'b\n'),
          callTool('Write', { file_path: '/workspace/.git/config', content: 'x' }, 'call-b'),
          say('Written.'),
        ],
      },
      {},
      () =>
        Promise.resolve({
          behavior: 'allow',
          updatedPermissions: [
            {
              type: 'addRules',
              rules: [{ toolName: 'Edit', ruleContent: 'b.txt' }],
              behavior: 'deny',
              destination: 'session',
            },
          ],
        }),
    );
    expect(asked.map(({ toolUseID }) => toolUseID)).toEqual(['call-b']);
    expect(results[0]).toContain('The merge was refused: the deny rule Edit(b.txt)');
    expect(await listBranches(host)).toHaveLength(1);
  });

  it('goes to the branch of a dry run, where the session works on one', async () => {
    await using host = await openHost();
    const sessionId = 'dry';
    await runIsolated(
      host,
      {
        main: main(isolated('Write.')),
        'Write.': [write('/workspace/b.txt', 'b\n'), say('Written.')],
      },
      { sessionId, dryRun: true },
    );
    expect(await host.workspace.fs.readdir('/workspace')).toEqual(['a.txt']);
    expect(await listBranches(host)).toEqual(['dry-run-dry']);
    const dryRun = await openDryRun(host.workspace, sessionId, host.clock);
    expect((await dryRun.changes()).map(({ path }) => path)).toEqual(['/workspace/b.txt']);
  });

  it('leaves a branch that goes with its session', async () => {
    await using host = await openHost();
    const sessionId = 'to-be-deleted';
    await runIsolated(
      host,
      {
        main: main(isolated('Write.')),
        'Write.': [write('/workspace/b.txt', 'b\n'), say('Written.')],
      },
      { sessionId },
      null,
    );
    expect(await listBranches(host)).toHaveLength(1);
    await deleteSession(sessionId, { host });
    expect(await listBranches(host)).toEqual([]);
  });
});

describe('an isolated agent that is written to at rest', () => {
  const goOn = (more: readonly ScriptTurn[]) => ({
    main: [
      isolated('Write.', { name: 'writer' }),
      callTool('SendMessage', { to: 'writer', message: 'Go on.' }, 'call-mail'),
      say('It goes on.'),
      say('It is done.'),
    ],
    'Write.': [write('/workspace/b.txt', 'b\n'), say('Written.'), ...more],
  });
  const writeMore = callTool('Write', { file_path: '/workspace/c.txt', content: 'c\n' }, 'call-c');

  it('goes on with a branch of main as it is then, where its own is merged', async () => {
    await using host = await openHost();
    const { asked } = await runIsolated(
      host,
      goOn([
        callTool('Read', { file_path: '/workspace/typed.txt' }, 'call-r'),
        writeMore,
        say('More.'),
      ]),
      {
        before: async (who, count) => {
          if (who !== 'main' || count !== 2) return;
          await host.workspace.fs.writeFile('/workspace/typed.txt', 'typed\n');
        },
      },
    );
    expect(asked.map(({ changes }) => changes?.map(({ path }) => path))).toEqual([
      ['/workspace/b.txt'],
      ['/workspace/c.txt'],
    ]);
    expect(await host.workspace.fs.readdir('/workspace')).toEqual([
      'a.txt',
      'b.txt',
      'c.txt',
      'typed.txt',
    ]);
    expect(await listBranches(host)).toEqual([]);
  });

  it('goes on with what it has left, where that was refused', async () => {
    await using host = await openHost();
    let answers = 0;
    const { asked } = await runIsolated(host, goOn([writeMore, say('More.')]), {}, () => {
      answers += 1;
      return Promise.resolve(
        answers === 1 ? { behavior: 'deny', message: 'Not yet.' } : { behavior: 'allow' },
      );
    });
    expect(asked.at(-1)?.changes?.map(({ path }) => path)).toEqual([
      '/workspace/b.txt',
      '/workspace/c.txt',
    ]);
    expect(await host.workspace.fs.readdir('/workspace')).toEqual(['a.txt', 'b.txt', 'c.txt']);
    expect(await listBranches(host)).toEqual([]);
  });

  it('goes on with a branch of its own in a fork of the session, whose branch stays', async () => {
    await using host = await openHost();
    const sessionId = 'forked';
    await runIsolated(
      host,
      {
        main: main(isolated('Write.', { name: 'writer' })),
        'Write.': [write('/workspace/b.txt', 'b\n'), say('Written.')],
      },
      { sessionId },
      null,
    );
    const left = await listBranches(host);
    const said = [say('Said.'), say('Said.')];
    const { asked } = await runIsolated(
      host,
      {
        // The conversations have two replies already.
        main: [
          ...said,
          callTool('SendMessage', { to: 'writer', message: 'Go on.' }, 'call-mail'),
          say('It goes on.'),
          say('It is done.'),
        ],
        'Write.': [...said, writeMore, say('More.')],
      },
      { resume: sessionId, forkSession: true },
    );
    expect(asked.map(({ changes }) => changes?.map(({ path }) => path))).toEqual([
      ['/workspace/c.txt'],
    ]);
    expect(left).toHaveLength(1);
    expect(await listBranches(host)).toEqual(left);
    expect(await host.workspace.at(left[0] ?? '').fs.readdir('/workspace')).toEqual([
      'a.txt',
      'b.txt',
    ]);
  });
});
