// What a tree runs when a person asks real git for its status. There is a tree that a person made,
// and the same tree as an agent may make it without a question. Each attack is shown to be one
// first.
import { access, rm } from 'node:fs/promises';
import { loadQuickjsWasm } from '#quickjs-wasm';
import git from 'isomorphic-git';
import { describe, expect, it } from 'vitest';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import type { Host } from '../../../src/agent/host.ts';
import { exportTree } from '../../support/git/exported-tree.ts';
import { runCells } from '../../support/turns/run-cells.ts';

type Files = Readonly<Record<string, string>>;

interface Attack {
  readonly name: string;
  /** What the person's repository has already. */
  readonly before?: Files;
  readonly files: Files;
  /** Where the person asks for the status. */
  readonly at?: string;
}

const command = 'touch $HOME/ran #';
const settings = `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tfsmonitor = "${command}"\n`;
const plain = '[core]\n\trepositoryformatversion = 0\n\tbare = false\n';
const head = 'ref: refs/heads/main\n';
const repository = (at: string, config: string): Files => ({
  [`${at}/HEAD`]: head,
  [`${at}/config`]: config,
  [`${at}/objects/info/x`]: '',
  [`${at}/refs/heads/x/y`]: '',
});

const attacks: readonly Attack[] = [
  { name: 'settings', files: { '.git/config': settings } },
  {
    name: 'a .git that is a file',
    files: { 'a/.git': 'gitdir: ../x\n', ...repository('x', settings) },
    at: 'a',
  },
  {
    name: 'a repository by another name',
    files: repository('lib', settings.replace('bare', 'worktree = .\n\tbare')),
    at: 'lib',
  },
  { name: 'a repository below', files: repository('lib/.git', settings), at: 'lib' },
  {
    name: 'the settings of one work tree',
    before: { '.git/config': `${plain}[extensions]\n\tworktreeConfig = true\n` },
    files: { '.git/config.worktree': settings },
  },
  {
    name: "a submodule's settings",
    before: {
      'lib/.git': 'gitdir: ../.git/modules/lib\n',
      ...repository('.git/modules/lib', plain),
    },
    files: { '.git/modules/lib/config': settings },
    at: 'lib',
  },
  {
    name: 'settings of a repository that a work tree is led to',
    files: { '.git/commondir': '../x\n', ...repository('x', settings) },
  },
  { name: 'a hook', files: { '.git/hooks/post-index-change': `#!/bin/sh\n${command}\n` } },
];

async function open(before: Files = {}): Promise<Host> {
  const host = await createInlineHost({ loadWasm: loadQuickjsWasm });
  const repo = { fs: { promises: host.workspace.fs }, dir: host.cwd } as const;
  await git.init({ ...repo, defaultBranch: 'main' });
  await host.workspace.fs.writeFile(`${host.cwd}/a.txt`, 'a\n');
  await git.add({ ...repo, filepath: 'a.txt' });
  await put(host, before);
  return host;
}

async function put({ workspace: { fs }, cwd }: Host, files: Files): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const path = `${cwd}/${name}`;
    await fs.mkdir(path.slice(0, path.lastIndexOf('/')), { recursive: true });
    await fs.writeFile(path, text, { mode: 0o755 });
  }
}

/** Did real git run the command? */
async function runsCommand(host: Host, at = '.'): Promise<boolean> {
  await using real = await exportTree(host.workspace.fs, host.cwd);
  // Git fails where the attack is half there; what it runs is the question.
  await real.git('-C', at, 'status', '--porcelain').catch(() => undefined);
  const marker = `${real.directory}/ran`;
  const ran = await access(marker).then(
    () => true,
    () => false,
  );
  await rm(marker, { force: true });
  return ran;
}

/** Writes one file, and what it needs above, as code of a cell would. */
const writing = (files: Files) =>
  `for (const [name, text] of Object.entries(${JSON.stringify(files)})) {
     fs.mkdirSync(require('path').dirname(name), { recursive: true });
     fs.writeFileSync(name, text, { mode: 0o755 });
   }`;

describe('git status in a tree of an agent that edits without a question', () => {
  it.each(attacks)('runs nothing by way of $name', async ({ before, files, at }) => {
    const theirs = await open(before);
    await put(theirs, files);
    expect(await runsCommand(theirs, at)).toBe(true);
    await theirs[Symbol.asyncDispose]();

    const host = await open(before);
    // Whole, and file by file: what is harmless alone must not add up.
    const cells = [files, ...Object.entries(files).map(([name, text]) => ({ [name]: text }))];
    const { results } = await runCells(host, cells.map(writing), {
      permissionMode: 'acceptEdits',
    });
    expect(results[0]).toContain('writing it always asks');
    expect(await runsCommand(host, at)).toBe(false);
    await host[Symbol.asyncDispose]();
  });

  it('takes a new repository and a work tree, as git makes them, without a question', async () => {
    const host = await open();
    const made: Files = {
      'sub/.git/HEAD': head,
      'sub/.git/description': 'Unnamed repository.\n',
      'sub/.git/config':
        '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n',
      'sub/.git/info/exclude': '# git ls-files --others --exclude-from=.git/info/exclude\n',
      'sub/.git/refs/heads/.keep/x': '',
      'tree/.git': 'gitdir: ../.git/worktrees/tree\n',
      '.git/worktrees/tree/HEAD': 'ref: refs/heads/tree\n',
      '.git/worktrees/tree/commondir': '../..\n',
      '.git/worktrees/tree/gitdir': '/workspace/tree/.git\n',
    };
    const { results } = await runCells(
      host,
      [
        `${writing(made)} fs.mkdirSync('sub/.git/hooks'); fs.mkdirSync('sub/.git/objects/info', { recursive: true })`,
        writing({ 'sub/.git/config': settings }),
      ],
      { permissionMode: 'acceptEdits' },
    );
    expect(results[0]).not.toContain('Nobody is here');
    // What is there already is a person's, whatever it becomes.
    expect(results[1]).toContain('writing it always asks');
    await using real = await exportTree(host.workspace.fs, host.cwd);
    expect(await real.git('-C', 'sub', 'status', '--porcelain')).toBe('');
    expect(
      await real.git('-C', 'sub', 'rev-parse', '--abbrev-ref', '--symbolic-full-name', '--git-dir'),
    ).toBe('.git\n');
    expect(await real.git('-C', 'tree', 'status', '--porcelain', '--branch')).toContain(
      '## No commits yet on tree',
    );
    await host[Symbol.asyncDispose]();
  });

  it('asks about whatever else a new repository may have', async () => {
    const host = await open();
    const others: readonly (readonly [string, string])[] = [
      ['sub/.git/config', settings],
      ['sub/.git/config', `${plain}\tworktree = /elsewhere\n`],
      ['sub/.git/config', `${plain}[include]\n\tpath = ../x\n`],
      ['sub/.git', 'gitdir: ../x\n'],
      ['sub/.git', 'gitdir: ../l/../.git/worktrees/x\n'],
      ['.git/worktrees/x/commondir', '../../../x\n'],
      ['sub/.git/info/exclude', '*.js\n'],
      ['sub/.git/hooks/other', ''],
    ];
    const { results } = await runCells(
      host,
      others.map(([path, text]) => writing({ [path]: text })),
      { permissionMode: 'acceptEdits' },
    );
    const asked = results.map((text) => text.includes('writing it always asks'));
    expect(asked).toEqual(others.map(() => true));
    await host[Symbol.asyncDispose]();
  });
});
