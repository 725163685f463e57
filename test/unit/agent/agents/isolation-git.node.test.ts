// Isolated agents that commit in git while others do, through whole queries. The tests show which
// of their commits are put where, and what the report says of the rest. Real git says whether the
// repository is sound.
import { loadQuickjsWasm } from '#quickjs-wasm';
import { describe, expect, it } from 'vitest';
import { createInlineHost } from '../../../../src/hosts/inline/create-inline-host.ts';
import type { ScriptTurn } from '../../../../src/model/script.ts';
import { exportTree } from '../../../support/git/exported-tree.ts';
import {
  isolated,
  listBranches,
  main,
  runIsolated,
} from '../../../support/turns/isolated-agents.ts';
import { callTool, say } from '../../../support/turns/run-hooked.ts';

const author = { name: 'A', email: 'a@example.org' };
const cell = (code: string, id: string) => callTool('Repl', { code }, id);
const writeText = (name: string, text: string) =>
  `await fs.promises.writeFile('${name}', '${text}\\n');`;

/** A repository whose first commit has `a.txt` and `b.txt`. */
async function openRepository() {
  const host = await createInlineHost({ loadWasm: loadQuickjsWasm, git: { author } });
  const { git } = host;
  const { fs } = host.workspace;
  await fs.writeFile('/workspace/a.txt', 'one\n');
  await fs.writeFile('/workspace/b.txt', 'one\n');
  await git.init();
  await git.add('.');
  await git.commit({ message: 'First' });
  /** What real git says of it. */
  const ask = async () => {
    await using real = await exportTree(fs, host.cwd);
    const lines = (text: string) => text.split('\n').filter((line) => line !== '');
    return {
      fsck: await real.git('fsck', '--strict', '--no-dangling'),
      log: lines(await real.git('log', '--format=%s')),
      status: lines(await real.git('status', '--porcelain', '--branch')),
    };
  };
  return { host, git, fs, ask };
}

type Opened = Awaited<ReturnType<typeof openRepository>>;

/** One agent, and what a person does before its request of that number. */
async function runBeside(
  { host }: Opened,
  turns: readonly ScriptTurn[],
  doings: Readonly<Record<number, () => Promise<unknown>>>,
) {
  const run = await runIsolated(
    host,
    { main: main(isolated('Work.')), 'Work.': turns },
    {
      before: async (who, count) => {
        if (who === 'Work.') await doings[count]?.();
      },
    },
  );
  return { ...run, report: run.results[0] ?? '' };
}

const commitMine = cell(
  `${writeText('a.txt', 'mine')} ${writeText('new.txt', 'mine')} await git.add('.'); await git.commit({ message: 'Mine' });`,
  'call-b',
);

const uncommitted =
  /Its commit \([\da-f]{7} "Mine"\) wasn't put on main: others have changed that branch or the index meanwhile\. What it has changed is in the files, and not committed: git\.add and git\.commit commit it again\./u;

async function commitTheirs({ git, fs }: Opened, name = 'b.txt', text = 'theirs\n') {
  await fs.writeFile(`/workspace/${name}`, text);
  await git.add(name);
  await git.commit({ message: `Theirs: ${name}` });
}

describe('an isolated agent that commits', () => {
  it('has its commit on the branch, where nobody else has moved that', async () => {
    const opened = await openRepository();
    await using host = opened.host;
    const { report } = await runBeside(opened, [commitMine, say('Done.')], {});
    expect(report).toContain('Its changes were merged: /workspace/a.txt, /workspace/new.txt.');
    expect(report).not.toContain('.git/');
    expect(await opened.ask()).toEqual({ fsck: '', log: ['Mine', 'First'], status: ['## main'] });
    expect(await listBranches(host)).toEqual([]);
  });

  it('is told of as one whose commit was not put on the branch that a person has moved', async () => {
    const opened = await openRepository();
    await using host = opened.host;
    const turns = [commitMine, say('Done.')];
    const { report, requests } = await runBeside(opened, turns, { 2: () => commitTheirs(opened) });
    expect(report).toMatch(uncommitted);
    expect(report).toContain('Its changes were merged: /workspace/a.txt, /workspace/new.txt.');
    expect(await opened.ask()).toEqual({
      fsck: '',
      log: ['Theirs: b.txt', 'First'],
      status: ['## main', ' M a.txt', '?? new.txt'],
    });
    // It needed no other turn.
    expect(requests).toHaveLength(4);
    // And what the report says leads to the commit.
    await opened.git.add('.');
    await opened.git.commit({ message: 'Mine' });
    expect((await opened.ask()).status).toEqual(['## main']);
    expect(await listBranches(host)).toEqual([]);
  });

  it('leaves the index and its branch together, where only the index is in conflict', async () => {
    const opened = await openRepository();
    await using _host = opened.host;
    const { git, fs } = opened;
    const { report } = await runBeside(opened, [commitMine, say('Done.')], {
      2: async () => {
        await fs.writeFile('/workspace/a.txt', 'staged\n');
        await git.add('a.txt');
        await fs.writeFile('/workspace/a.txt', 'one\n');
      },
    });
    expect(report).toMatch(uncommitted);
    expect(await opened.ask()).toEqual({
      fsck: '',
      log: ['First'],
      status: ['## main', 'MM a.txt', '?? new.txt'],
    });
  });

  it('brings a branch of its own along, where HEAD stays with a person', async () => {
    const opened = await openRepository();
    await using _host = opened.host;
    const { git } = opened;
    const onTopic = cell(
      `await git.switch('topic', { create: true }); ${writeText('new.txt', 'mine')} await git.add('.'); await git.commit({ message: 'Mine' });`,
      'call-b',
    );
    const { report } = await runBeside(opened, [onTopic, say('Done.')], {
      2: () => git.switch('other', { create: true }),
    });
    expect(report).not.toContain("wasn't put");
    expect((await git.log({ ref: 'topic' })).map(({ message }) => message.trim())).toEqual([
      'Mine',
      'First',
    ]);
    expect(await opened.ask()).toEqual({
      fsck: '',
      log: ['First'],
      status: ['## other', '?? new.txt'],
    });
  });

  it('commits again in the turn that it has for files in conflict', async () => {
    const opened = await openRepository();
    await using _host = opened.host;
    const turns = [
      commitMine,
      say('Done.'),
      cell(
        `${writeText('a.txt', 'both')} await git.add('.'); await git.commit({ message: 'Both' });`,
        'call-c',
      ),
      say('Done again.'),
    ];
    const { report, requests } = await runBeside(opened, turns, {
      2: () => commitTheirs(opened, 'a.txt'),
    });
    const prompt = requests.find((text) => text.includes('Nothing of your work is merged yet'));
    expect(prompt).toContain('merged yet: /workspace/a.txt had been changed');
    expect(prompt).toMatch(/Your commit \([\da-f]{7} \\"Mine\\"\) wasn't put on main/u);
    expect(report).not.toContain("wasn't put");
    expect(await opened.ask()).toEqual({
      fsck: '',
      log: ['Both', 'Theirs: a.txt', 'First'],
      status: ['## main'],
    });
  });

  it('has its files merged also where the branch has moved again after that turn', async () => {
    const opened = await openRepository();
    await using _host = opened.host;
    const again = `${writeText('a.txt', 'both')} await git.add('.'); await git.commit({ message: 'Mine' });`;
    const turns = [commitMine, say('Done.'), cell(again, 'call-c'), say('Done again.')];
    const { report } = await runBeside(opened, turns, {
      2: () => commitTheirs(opened, 'a.txt'),
      4: () => commitTheirs(opened, 'b.txt'),
    });
    expect(report).toMatch(uncommitted);
    expect(await opened.ask()).toEqual({
      fsck: '',
      log: ['Theirs: b.txt', 'Theirs: a.txt', 'First'],
      status: ['## main', ' M a.txt', '?? new.txt'],
    });
  });
});

it('of two agents that commit, one has its commit, and the other is told of', async () => {
  const opened = await openRepository();
  await using host = opened.host;
  const agent = (name: string) => [
    cell(
      `${writeText(name, 'mine')} await git.commit({ message: 'In ${name}', all: true });`,
      `cell-${name}`,
    ),
    say('Done.'),
  ];
  const both = ['a.txt', 'b.txt'].flatMap((name) => isolated(`Work on ${name}`, {}, name).blocks);
  const { results } = await runIsolated(host, {
    main: main({ blocks: both }),
    'Work on a.txt': agent('a.txt'),
    'Work on b.txt': agent('b.txt'),
  });
  const lost = results.filter((text) => text.includes("wasn't put on main"));
  expect(lost).toHaveLength(1);
  const [, name = ''] = /"In (\w\.txt)"/u.exec(lost[0] ?? '') ?? [];
  expect(await opened.ask()).toEqual({
    fsck: '',
    log: [`In ${name === 'a.txt' ? 'b.txt' : 'a.txt'}`, 'First'],
    status: ['## main', ` M ${name}`],
  });
});
