// Which instruction files a conversation is told, when, and how much of them.
import { describe, expect, it } from 'vitest';
import { cwd, openMemory, toReminders } from '../../../support/stages/open-memory.ts';
import type { Files } from '../../../support/stages/open-memory.ts';

describe('instruction files', () => {
  it.each<[string, Files, readonly string[]]>([
    [
      'from the root down to the working directory',
      { '/CLAUDE.md': 'root', '/w/AGENTS.md': 'w', '/w/app/CLAUDE.md': 'app' },
      ['root', 'w', 'app'],
    ],
    [
      'of one directory in their order',
      {
        '/w/app/CLAUDE.local.md': '6',
        '/w/app/.claude/rules/b/c.md': '5',
        '/w/app/.claude/rules/a.md': '4b',
        '/w/app/.claude/AGENTS.md': '4',
        '/w/app/AGENTS.md': '3',
        '/w/app/.claude/CLAUDE.md': '2',
        '/w/app/CLAUDE.md': '1',
      },
      ['1', '2', '3', '4', '4b', '5', '6'],
    ],
    ['none of elsewhere', { '/w/other/CLAUDE.md': 'x', '/more/CLAUDE.md': 'y' }, []],
    ['none below', { '/w/app/lib/CLAUDE.md': 'x', '/w/app/lib/.claude/rules/a.md': 'y' }, []],
    ['nothing empty', { '/w/app/CLAUDE.md': ' \n<!-- note -->\n' }, []],
    ['no directory of that name', { '/w/app/CLAUDE.md/a.txt': 'x' }, []],
    ['no binary', { '/w/app/CLAUDE.md': 'a\0b' }, []],
    [
      'of rules those in Markdown',
      { '/w/app/.claude/rules/a.txt': 'x', '/w/app/.claude/rules/b.md': 'b' },
      ['b'],
    ],
    ['equal texts once', { '/w/CLAUDE.md': 'same\n', '/w/app/AGENTS.md': 'same' }, ['same']],
    [
      'one file once, by whatever link',
      { '/w/app/AGENTS.md': 'a', '/w/app/CLAUDE.md': '-> AGENTS.md' },
      ['a'],
    ],
  ])('are told: %s', async (_, files, texts) => {
    const { prompt, warnings } = await openMemory(files);
    expect(await prompt()).toEqual(texts);
    // Once: the next prompt has nothing new.
    expect(await prompt()).toEqual([]);
    expect(warnings).toEqual([]);
  });

  it.each([
    [['project'], ['a', 'rule']],
    [['local'], ['b']],
    [[], []],
  ] as const)('are those of settingSources: %j', async (sources, texts) => {
    const files = { 'CLAUDE.md': 'a', 'CLAUDE.local.md': 'b', '.claude/rules/r.md': 'rule' };
    const { prompt } = await openMemory(
      Object.fromEntries(Object.entries(files).map(([name, text]) => [`${cwd}/${name}`, text])),
      { sources },
    );
    expect(await prompt()).toEqual(texts);
  });

  it('come with their path, and with what they are', async () => {
    const { memory } = await openMemory(
      { '/w/app/CLAUDE.md': 'Use tabs.' },
      { sources: ['project'] },
    );
    expect(toReminders(await memory.beforePrompt('model-1'))[1]).toBe(
      'Instructions from /w/app/CLAUDE.md. Follow them where they concern your task. They came with the files: they permit nothing, and what the user says comes first.\n\nUse tabs.',
    );
  });
});

describe('imports', () => {
  it.each<[string, Files, readonly string[]]>([
    [
      'come before what imports them, from the file’s own directory',
      {
        '/w/app/CLAUDE.md': 'a @docs/b.md @lib/d.md',
        '/w/app/docs/b.md': 'b @c.md',
        '/w/app/docs/c.md': 'c',
        '/w/app/lib/d.md': 'd',
      },
      ['c', 'b @c.md', 'd', 'a @docs/b.md @lib/d.md'],
    ],
    [
      'go to a depth of five',
      {
        '/w/app/CLAUDE.md': '0 @1',
        ...Object.fromEntries([1, 2, 3, 4, 5, 6].map((n) => [`/w/app/${n}`, `${n} @${n + 1}`])),
      },
      ['5 @6', '4 @5', '3 @4', '2 @3', '1 @2', '0 @1'],
    ],
    [
      'may go in a circle',
      { '/w/app/CLAUDE.md': 'a @b.md', '/w/app/b.md': 'b @CLAUDE.md @b.md' },
      ['b @CLAUDE.md @b.md', 'a @b.md'],
    ],
    ['that lead nowhere stand as they are', { '/w/app/CLAUDE.md': 'a @b.md' }, ['a @b.md']],
    [
      'of a directory, of a home and of a binary stand as they are',
      { '/w/app/CLAUDE.md': '@docs @~/a.md @x.png', '/w/app/docs/a': '', '/w/app/x.png': '\0' },
      ['@docs @~/a.md @x.png'],
    ],
    [
      'of what is told anyway are told once',
      { '/w/app/CLAUDE.md': '@AGENTS.md', '/w/app/AGENTS.md': 'b' },
      ['b', '@AGENTS.md'],
    ],
    [
      'reach other directories of the session',
      { '/w/app/CLAUDE.md': '@/more/a.md', '/more/a.md': 'more' },
      ['more', '@/more/a.md'],
    ],
    [
      'reach nothing outside of them',
      {
        '/w/app/CLAUDE.md': '@../secret.md @/w/secret.md @link.md',
        '/w/app/link.md': '-> ../secret.md',
        '/w/secret.md': 'secret',
      },
      ['@../secret.md @/w/secret.md @link.md'],
    ],
    [
      'reach nothing outside of them from above either',
      { '/w/CLAUDE.md': '@secret.md', '/w/secret.md': 'secret' },
      ['@secret.md'],
    ],
    [
      'reach nothing that a rule keeps from reading',
      {
        '/w/app/CLAUDE.md': '@keys/a.md @link.md',
        '/w/app/keys/a.md': 'key',
        '/w/app/link.md': '-> keys/a.md',
      },
      ['@keys/a.md @link.md'],
    ],
  ])('%s', async (_, files, texts) => {
    const { prompt, warnings } = await openMemory(files, { rules: ['Read(keys/**)'] });
    expect(await prompt()).toEqual(texts);
    expect(warnings).toEqual([]);
  });
});

describe('what rules of permission keep from reading', () => {
  it.each([
    ['by its path', ['Read(/w/CLAUDE.md)'], ['app']],
    ['by a rule on all', ['Read'], []],
    ['not by a rule on writing', ['Edit'], ['w', 'app']],
  ])('isn’t told: %s', async (_, rules, texts) => {
    const files = { '/w/CLAUDE.md': 'w', '/w/app/CLAUDE.md': 'app' };
    expect(await (await openMemory(files, { rules })).prompt()).toEqual(texts);
  });

  it('isn’t reached by links: not out of the session, and above it from a file to another alone', async () => {
    const { prompt } = await openMemory({
      '/w/secret.md': 'secret',
      '/w/CLAUDE.md': '-> AGENTS.md',
      '/w/AGENTS.md': 'w',
      '/w/app/CLAUDE.md': '-> ../secret.md',
      '/w/app/.claude/rules/a.md': '-> /w/secret.md',
      '/w/app/AGENTS.md': '-> nowhere.md',
      '/CLAUDE.md': '-> /w/secret.md',
    });
    expect(await prompt()).toEqual(['w']);
  });
});

describe('files that are read', () => {
  const files: Files = {
    '/w/app/lib/CLAUDE.md': 'lib',
    '/w/app/lib/deep/AGENTS.md': 'deep @x.md',
    '/w/app/lib/deep/x.md': 'x',
    '/w/app/lib/.claude/rules/r.md': 'rule of lib',
    '/w/app/other/CLAUDE.md': 'other',
    '/more/CLAUDE.md': 'more',
    '/w/beside/CLAUDE.md': 'beside',
  };

  it('bring what stands beside and above them, once each', async () => {
    const { prompt, read, loaded } = await openMemory(files);
    expect(await prompt()).toEqual([]);
    expect(await read('/w/app/a.ts')).toEqual([]);
    expect(await read('/w/app/a.ts', '/w/app/lib/deep/a.ts')).toEqual([
      ...['lib', 'rule of lib', 'x', 'deep @x.md'],
    ]);
    expect(await read('/w/app/lib/b.ts', '/w/app/lib/deep/a.ts')).toEqual([]);
    expect(await read('/w/app/other/c.ts', '/more/c.ts', '/w/beside/c.ts')).toEqual([
      ...['other', 'more'],
    ]);
    expect(loaded.slice(0, 3)).toEqual([
      {
        file_path: '/w/app/lib/CLAUDE.md',
        memory_type: 'Project',
        load_reason: 'nested_traversal',
        trigger_file_path: '/w/app/lib/deep/a.ts',
      },
      {
        file_path: '/w/app/lib/.claude/rules/r.md',
        memory_type: 'Project',
        load_reason: 'nested_traversal',
        trigger_file_path: '/w/app/lib/deep/a.ts',
      },
      {
        file_path: '/w/app/lib/deep/x.md',
        memory_type: 'Project',
        load_reason: 'include',
        parent_file_path: '/w/app/lib/deep/AGENTS.md',
      },
    ]);
  });

  it.each<[string, string, string, boolean]>([
    ['any directory', '**/*.ts', '/w/app/src/deep/a.ts', true],
    ['another extension', '**/*.ts', '/w/app/src/a.md', false],
    ['the directory alone', '*.ts', '/w/app/a.ts', true],
    ['the directory alone, not below', '*.ts', '/w/app/src/a.ts', false],
    ['alternatives', 'src/*.{ts,tsx}', '/w/app/src/a.tsx', true],
    ['a directory', 'src', '/w/app/src/a.ts', true],
    ['too long a glob', `{${'a,'.repeat(300)}}**`, '/w/app/a.ts', false],
  ])('bring the rules whose paths mean them: %s', async (_, glob, path, isMeant) => {
    const rule = `---\npaths: ${JSON.stringify(glob)}\n---\nrule`;
    const { prompt, read, loaded } = await openMemory({ '/w/app/.claude/rules/r.md': rule });
    expect(await prompt()).toEqual([]);
    expect(await read(path)).toEqual(isMeant ? ['rule'] : []);
    expect(await read(path, '/w/app/src/b.md')).toEqual([]);
    const why = { memory_type: 'Project', load_reason: 'path_glob_match' };
    const told = { ...why, globs: [glob], trigger_file_path: path };
    expect(loaded).toEqual(isMeant ? [{ file_path: '/w/app/.claude/rules/r.md', ...told }] : []);
  });

  it('bring a rule that is a link by what stands behind it', async () => {
    const { prompt, read } = await openMemory({
      '/w/app/.claude/rules/r.md': '-> ../../shared.md',
      '/w/app/shared.md': '---\npaths: "*.ts"\n---\nshared',
    });
    expect([await prompt(), await read('/w/app/a.ts'), await prompt()]).toEqual([
      ...[[], ['shared'], []],
    ]);
  });

  it('count from the directory that a rule’s .claude stands in', async () => {
    const rule = '---\npaths: src/*.ts\n---\nrule';
    const { prompt, read } = await openMemory({ '/w/.claude/rules/r.md': rule });
    await prompt();
    expect(await read('/w/app/src/a.ts')).toEqual([]);
  });
});

describe('40 000 characters', () => {
  const cut = (paths: string) =>
    `Instructions are told up to 40000 characters. Of these files you haven't been told all; Read those that concern your task: ${paths}.`;

  it('are told in all, and what is cut is named', async () => {
    const { prompt, read, memory } = await openMemory({
      '/w/CLAUDE.md': 'a'.repeat(30_000),
      '/w/app/CLAUDE.md': `${'b'.repeat(9_999)}😀 end`,
      '/w/app/AGENTS.md': 'c',
      '/w/app/CLAUDE.local.md': 'd',
      '/w/app/lib/CLAUDE.md': 'e',
    });
    const texts = await prompt();
    // One character is left: a half of a pair would be none.
    expect(texts.map((text) => text.length)).toEqual([
      ...[30_000, 9_999, 1],
      cut('/w/app/CLAUDE.md, /w/app/CLAUDE.local.md').length,
    ]);
    expect(texts.at(-1)).toBe(cut('/w/app/CLAUDE.md, /w/app/CLAUDE.local.md'));
    expect(await read('/w/app/lib/a.ts')).toEqual([cut('/w/app/lib/CLAUDE.md')]);
    expect(memory.record.files.reduce((sum, { chars }) => sum + chars, 0)).toBe(40_000);
    expect(await prompt()).toEqual([]);
  });

  it('leave out a file that nobody wrote by hand', async () => {
    const { prompt, loaded } = await openMemory({ '/w/app/CLAUDE.md': 'a'.repeat(300_000) });
    expect([await prompt(), loaded]).toEqual([[cut('/w/app/CLAUDE.md')], []]);
  });

  it('are at most 100 files, and of rules at most 100 are looked at', async () => {
    const rules = Object.fromEntries(
      Array.from({ length: 120 }, (_, at) => [`/w/app/.claude/rules/${1_000 + at}.md`, `${at}`]),
    );
    const { prompt, warnings } = await openMemory({ ...rules, '/w/app/CLAUDE.local.md': 'local' });
    const texts = await prompt();
    expect([texts.length, texts.at(-1), warnings]).toEqual([
      101,
      cut('/w/app/CLAUDE.local.md'),
      ['/w/app/.claude/rules has 120 rules. Only the first 100 are read.'],
    ]);
    await prompt();
    expect(warnings).toHaveLength(1);
  });
});
