// Git in a cell: on its draft, rolled back with it, and asked about by what it means.
import { loadQuickjsWasm } from '#quickjs-wasm';
import { afterEach, describe, expect, it } from 'vitest';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import type { Host } from '../../../src/agent/host.ts';
import { createPerson, createQuickPerson, runCells } from '../../support/turns/run-cells.ts';

const hosts: Host[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host[Symbol.asyncDispose]();
});

const author = `{ name: 'A', email: 'a@example.org' }`;
const commitAll = (message: string) =>
  `await git.add('.'); await git.commit({ message: ${JSON.stringify(message)}, author: ${author} });`;

/** With a repository of one commit. */
async function openRepository() {
  const host = await createInlineHost({ loadWasm: loadQuickjsWasm });
  hosts.push(host);
  await host.workspace.fs.mkdir(`${host.cwd}/secrets`);
  await host.workspace.fs.writeFile(`${host.cwd}/a.txt`, 'a\n');
  await host.workspace.fs.writeFile(`${host.cwd}/secrets/key.txt`, 'the key\n');
  const { outputs } = await runCells(host, [`await git.init(); ${commitAll('first')}`], {
    permissionMode: 'acceptEdits',
  });
  expect(outputs[0]?.error).toBeUndefined();
  return host;
}

const yes = { behavior: 'allow' } as const;

describe('git in a cell', () => {
  it('works on the draft of the cell, and gives data', async () => {
    const host = await openRepository();
    const { outputs, results } = await runCells(
      host,
      [
        `fs.writeFileSync('b.txt', 'b\\n'); const before = await git.status();
         ${commitAll('Add b\n\nwith more')}
         const [newest] = await git.log({ maxCount: 1 });
         const text = (await git.readFile('HEAD', 'b.txt')).toString();
         console.log(JSON.stringify([before.files, newest.message, text, (await git.status()).files]));`,
        `(await git.branch.list()).map(({ name }) => name)`,
      ],
      { permissionMode: 'acceptEdits' },
    );
    expect(outputs[0]?.error).toBeUndefined();
    expect(JSON.parse(outputs[0]?.stdout ?? '')).toEqual([
      [{ path: 'b.txt', index: '?', worktree: '?' }],
      'Add b\n\nwith more\n',
      'b\n',
      [],
    ]);
    expect(outputs[0]?.changes.map(({ path }) => path)).toEqual(['/workspace/b.txt']);
    expect(results[0]).toContain('Git:\nadd .\ncommit 1 file on main: Add b\n');
    expect(outputs[1]?.value).toEqual(['main']);
  });

  it('works on the repository of another directory, and says which', async () => {
    const host = await openRepository();
    const { outputs, results } = await runCells(
      host,
      [
        `fs.mkdirSync('app'); fs.writeFileSync('app/x.txt', 'x');
         const app = git.at('app');
         // Not awaited one by one, and by two names.
         await Promise.all([app.init(), git.at('./app').add('.')]);
         await app.commit({ message: 'Begin', author: ${author} });
         [(await app.log()).length, (await git.log()).length]`,
        `(await git.at('app').status()).files`,
        `await git.at(1).status()`,
      ],
      { permissionMode: 'acceptEdits' },
    );
    expect(outputs[0]?.error).toBeUndefined();
    expect(outputs[0]?.value).toEqual([1, 1]);
    expect(results[0]).toContain('Git:\n-C app init');
    expect(results[0]).toContain('-C app commit 1 file on main: Begin');
    expect(outputs[1]?.value).toEqual([]);
    expect(outputs[2]?.error?.message).toContain('git.at takes a directory');
  });

  it.each([
    ['Read(other/**)', false],
    ['Read(other/.env)', true],
    ['Read(.env)', true],
  ])('opens no other repository that a rule hides: %s', async (rule, isOpened) => {
    const host = await openRepository();
    await host.workspace.fs.mkdir(`${host.cwd}/other`);
    const other = host.git.at('other');
    await other.init();
    await other.commit({
      message: 'A secret',
      allowEmpty: true,
      author: { name: 'A', email: 'a' },
    });
    await host.workspace.fs.symlink('other', `${host.cwd}/link`);
    const { outputs } = await runCells(
      host,
      [`(await git.at('other').log()).length`, `(await git.at('link').log()).length`],
      { disallowedTools: [rule] },
    );
    const expected = isOpened ? [1, 1] : [undefined, undefined];
    expect(outputs.map((output) => output?.value)).toEqual(expected);
  });

  it.each([
    [`fs.writeFileSync('.git', 'gitdir: other/.git\\n')`],
    [`fs.symlinkSync('other/.git', '.git')`],
  ])('follows no .git of a cell to a repository that a rule hides: %s', async (lead) => {
    const host = await createInlineHost({ loadWasm: loadQuickjsWasm });
    hosts.push(host);
    await host.workspace.fs.mkdir(`${host.cwd}/other`);
    const other = host.git.at('other');
    await other.init();
    const hidden = { message: 'A secret', allowEmpty: true, author: { name: 'A', email: 'a' } };
    await other.commit(hidden);
    const code = `${lead}; await git.log()`;
    const shown = await runCells(host, [code], { permissionMode: 'acceptEdits' });
    expect(shown.outputs[0]?.value).toHaveLength(1);
    const { results } = await runCells(host, [code], {
      disallowedTools: ['Read(other/**)'],
      permissionMode: 'acceptEdits',
    });
    expect(results[0]).toContain('ENOENT');
    expect(results[0]).not.toContain('A secret');
  });

  it('is rolled back with its cell', async () => {
    const host = await openRepository();
    const { outputs } = await runCells(
      host,
      [
        `fs.writeFileSync('b.txt', 'b'); ${commitAll('lost')} throw new Error('no');`,
        `[(await git.log()).length, (await git.status()).files.length]`,
      ],
      { permissionMode: 'acceptEdits' },
    );
    expect(outputs.map((output) => [output?.rolledBack, output?.value])).toEqual([
      [true, undefined],
      [false, [1, 0]],
    ]);
  });

  it('refuses what it does not take, with what it takes', async () => {
    const host = await openRepository();
    const calls = [
      'git.commit()',
      'git.commit({ message: 1 })',
      "git.add('a.txt', { deep: true })",
      'git.log(1)',
      'git.branch.create()',
      "git.stash.pop('x')",
      "git.readFile('HEAD', 'secrets/none')",
      "git.checkout('main')",
      'git.stash()',
    ];
    const { outputs } = await runCells(host, [
      `const told = [];
       for (const call of [${calls.map((call) => `() => ${call}`).join(', ')}])
         told.push(await (async () => call())().then(() => 'done', (error) => error.message));
       told`,
    ]);
    expect(outputs[0]?.value).toEqual([
      'A commit needs a message: give `message`.',
      'message of git.commit must be text.',
      'git.add has no option deep; its options: force, update.',
      'git.log takes { ref, all, maxCount, paths }.',
      'git.branch.create takes text, { from, force }.',
      'argument 1 of git.stash.pop must be a whole number from 0.',
      expect.stringContaining('secrets/none'),
      'git.checkout is no command here: call git.switch for a branch, or git.restore for files.',
      'git.stash is no command here: call git.stash.push, git.stash.list, git.stash.apply, git.stash.pop, git.stash.drop.',
    ]);
  });

  it('is asked about by what it means, with what it moves', async () => {
    const host = await openRepository();
    const person = createPerson();
    const running = runCells(
      host,
      [`fs.writeFileSync('b.txt', 'b\\n'); ${commitAll('Add b')}`],
      person,
    );
    const { options, answer } = await person.next();
    expect(options.title).toBe('git commit 1 file on main: Add b (and 1 more)?');
    expect(options.decisionReason).toBe('nothing allows git add yet');
    expect(options.description?.split('\n')).toEqual([
      'git add .',
      'git commit 1 file on main: Add b',
      expect.stringMatching(/^in \.git: (?:HEAD, )?refs\/heads\/main; \d+ files of git's own$/u),
      'create b.txt',
    ]);
    answer(yes);
    const { outputs } = await running;
    expect(outputs[0]?.error).toBeUndefined();
  });

  it.each([
    [
      'is kept without a question where rules allow the commands',
      ['Repl(git:add)', 'Repl(git:commit)', 'Edit(b.txt)'],
      [],
      0,
    ],
    ['asks where a rule allows only one of them', ['Repl(git:commit)', 'Edit(b.txt)'], [], 1],
    ['asks about files that no rule allows', ['Repl(git:*)'], [], 1],
  ])('%s', async (_what, allowedTools, disallowedTools, questions) => {
    const host = await openRepository();
    const person = createQuickPerson(yes);
    const cell = `fs.writeFileSync('b.txt', 'b\\n'); ${commitAll('Add b')}`;
    await runCells(host, [cell], { ...person, allowedTools, disallowedTools });
    expect(person.asked).toHaveLength(questions);
  });

  it('refuses a command that a rule denies, in whatever mode', async () => {
    const host = await openRepository();
    const { outputs } = await runCells(
      host,
      [`fs.writeFileSync('b.txt', 'b\\n'); ${commitAll('Add b')}`, `await git.branch.create('x')`],
      {
        permissionMode: 'bypassPermissions',
        disallowedTools: ['Repl(git:commit)', 'Repl(git:branch)'],
      },
    );
    expect(outputs.map((output) => output?.error?.message)).toEqual([
      'A permission rule forbids git.commit. Do without it.',
      'A permission rule forbids git.branch.create. Do without it.',
    ]);
  });

  it.each([
    [`git.reset({ to: 'HEAD~1', mode: 'hard' })`, 'git reset hard to HEAD~1?'],
    [`git.restore('a.txt')`, 'git restore a.txt?'],
    [`git.switch('main', { discardChanges: true })`, 'git switch main?'],
    [`git.branch.create('side', { from: 'HEAD~1', force: true })`, 'git branch create side?'],
  ])('asks where it throws work away, also who accepts edits: %s', async (command, title) => {
    const host = await openRepository();
    const prepare = `fs.writeFileSync('a.txt', 'b\\n'); ${commitAll('second')} await git.branch.create('side');
      fs.writeFileSync('a.txt', 'not committed\\n');`;
    const person = createPerson();
    const running = runCells(host, [prepare, `await ${command}; 'done'`], {
      ...person,
      permissionMode: 'acceptEdits',
    });
    const { options, answer } = await person.next();
    expect([options.title, options.defaultToNo]).toEqual([title, true]);
    answer({ behavior: 'deny', message: 'No.' });
    await running;
    expect(await host.workspace.fs.readFile(`${host.cwd}/a.txt`, 'utf8')).toBe('not committed\n');
  });

  it('asks nobody about what throws work away where a rule allows the command', async () => {
    const host = await openRepository();
    const { outputs } = await runCells(host, [`await git.reset({ mode: 'hard' }); 'done'`], {
      permissionMode: 'acceptEdits',
      allowedTools: ['Repl(git:reset)'],
    });
    expect(outputs[0]?.value).toBe('done');
  });

  it('bounds the question and the result of a cell that changes thousands of files', async () => {
    const host = await openRepository();
    const person = createPerson();
    const running = runCells(
      host,
      [
        `for (let at = 0; at < 600; at += 1) fs.writeFileSync('f' + at, String(at));
         await git.add('.');`,
      ],
      person,
    );
    const { options, answer } = await person.next();
    expect(options.description?.length).toBeLessThan(10_000);
    expect(options.description).toMatch(/and 402 more: 600 in \.$/u);
    expect(options.changes).toHaveLength(500);
    answer(yes);
    const { outputs, results } = await running;
    expect([outputs[0]?.changes.length, outputs[0]?.changesLeftOut]).toEqual([500, 100]);
    expect(results[0]?.length).toBeLessThan(5_000);
    expect(await host.workspace.fs.readFile(`${host.cwd}/f599`, 'utf8')).toBe('599');
  });
});

describe('git in a cell that may not read a file', () => {
  it.each([
    ['a rule on Read', 'Read(secrets/**)'],
    ['a rule on the cell', 'Repl(fs.read:secrets/**)'],
  ])('gives nothing of it, and does not delete it: %s', async (_what, rule) => {
    const host = await openRepository();
    await host.workspace.fs.writeFile(`${host.cwd}/secrets/key.txt`, 'another key\n');
    const { outputs } = await runCells(
      host,
      [
        `const told = [];
         for (const call of [
           () => git.readFile('HEAD', 'secrets/key.txt'),
           () => git.show('HEAD'), () => git.diff(), () => git.status(),
           () => git.restore('secrets/key.txt'),
           () => git.diff({ from: 'HEAD', paths: ['secrets'] }),
           () => git.readFile('HEAD:secrets', 'key.txt'),
           () => git.readFile('HEAD:', 'secrets/key.txt'),
           () => git.diff({ from: 'HEAD:', to: 'HEAD:secrets' }),
           async () => git.readFile((await git.log())[0].tree, 'secrets/key.txt'),
           () => git.stash.push(), () => git.stash.pop(),
         ]) told.push(await call().then((value) => JSON.stringify(value), (error) => error.message));
         told.join('\\n')`,
        `fs.writeFileSync('b.txt', 'b\\n'); ${commitAll('all')}`,
        `await git.worktree.add('other'); fs.existsSync('other/secrets/key.txt')`,
      ],
      { permissionMode: 'acceptEdits', disallowedTools: [rule] },
    );
    expect(outputs[0]?.error).toBeUndefined();
    expect(String(outputs[0]?.value)).not.toMatch(/the key|another key/u);
    expect(outputs[1]?.error).toBeUndefined();
    expect([outputs[2]?.error?.message, outputs[2]?.value]).toEqual([undefined, false]);
    const kept = await runCells(host, [
      `[(await git.readFile('HEAD', 'secrets/key.txt')).toString(), (await git.readFile('HEAD', 'b.txt')).toString()]`,
    ]);
    expect(kept.outputs[0]?.value).toEqual(['the key\n', 'b\n']);
  });
});
