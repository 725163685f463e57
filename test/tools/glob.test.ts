import { describe, expect, it } from 'vitest';
import { globTool } from '../../src/tools/glob/tool.ts';
import type { GlobOutput } from '../../src/tools/glob/schema.ts';
import { createToolBench } from '../support/stages/run-tool.ts';

const files = {
  '.gitignore': 'dist/\n*.log\n',
  '.github/ci.yml': '',
  'README.md': '',
  'src/app.ts': '',
  'src/app.test.ts': '',
  'src/deep/view.tsx': '',
  'dist/app.js': '',
  'debug.log': '',
};

async function find(input: Record<string, unknown>, options = {}): Promise<string[]> {
  const bench = await createToolBench(files, options);
  const output = (await bench.call('Glob', input)) as GlobOutput;
  // All were written in the same moment or nearly: order is another test's matter.
  return output.filenames.map((name) => name.slice('/work/'.length)).sort();
}

describe('Glob', () => {
  it.each([
    ['*.ts', ['src/app.test.ts', 'src/app.ts']],
    ['*.{ts,tsx}', ['src/app.test.ts', 'src/app.ts', 'src/deep/view.tsx']],
    ['src/*.ts', ['src/app.test.ts', 'src/app.ts']],
    ['src/**', ['src/app.test.ts', 'src/app.ts', 'src/deep/view.tsx']],
    ['/*', ['.gitignore', 'README.md', 'debug.log']],
    ['**/*.yml', ['.github/ci.yml']],
    ['app.?s', ['src/app.ts']],
    ['[!a]*.tsx', ['src/deep/view.tsx']],
    ['/work/src/*.ts', ['src/app.test.ts', 'src/app.ts']],
    ['./src/*.ts', ['src/app.test.ts', 'src/app.ts']],
    ['!*.ts', ['.github/ci.yml', '.gitignore', 'README.md', 'src/deep/view.tsx']],
    ['*.js', []],
    ['*.log', ['debug.log']],
    ['*.py', []],
  ])('finds by %s', async (pattern, names) => {
    expect(await find({ pattern })).toEqual(names);
  });

  it('looks below path, and takes the pattern from there', async () => {
    expect(await find({ pattern: '/*', path: 'src' })).toEqual(['src/app.test.ts', 'src/app.ts']);
    expect(await find({ pattern: '*.js', path: '/work/dist' })).toEqual(['dist/app.js']);
  });

  it.each([
    ['/work/src/*.ts', ['src/app.test.ts', 'src/app.ts']],
    ['../*.ts', ['src/app.test.ts', 'src/app.ts']],
    ['./../../dist/**', ['dist/app.js']],
    ['/work/src/deep/../../README.md', ['README.md']],
    ['../deep/*.tsx', ['src/deep/view.tsx']],
    ['/work/src/d*/view.tsx', ['src/deep/view.tsx']],
    ['/*.tsx', ['src/deep/view.tsx']],
    ['/etc/*.conf', []],
    ['/work/srcs/*.ts', []],
    ['/view.tsx/below/*', []],
    ['!/work/**', ['src/deep/view.tsx']],
  ])('looks where a pattern leads: %s in src/deep', async (pattern, names) => {
    expect(await find({ pattern, path: 'src/deep' })).toEqual(names);
  });

  it('takes a slash at the start as the directory searched, where that has such a directory', async () => {
    const bench = await createToolBench({ 'a/work/lib/a.ts': '', 'b/b.ts': '', 'lib/c.ts': '' });
    const found = async (path: string) =>
      ((await bench.call('Glob', { pattern: '/work/lib/*.ts', path })) as GlobOutput).filenames;
    expect(await found('a')).toEqual(['/work/a/work/lib/a.ts']);
    expect(await found('b')).toEqual(['/work/lib/c.ts']);
  });

  it.each([
    ['../../../etc/*', 'EACCES', /outside the workspace/],
    ['../../srcs/*.ts', 'ENOENT', /there is: src/],
    ['../../dist/*.js', 'ENOENT', /dist doesn't exist/],
    ['/work/.github/*', 'EACCES', /^A person must be asked .* Give it as path, and "\/\*" as pat/],
  ])('leads nowhere that it may not: %s', async (pattern, code, message) => {
    const rules = [
      { effect: 'deny', operation: 'read', glob: 'dist' },
      { effect: 'ask', operation: 'read', glob: '.github' },
    ] as const;
    const bench = await createToolBench(files, { rules });
    expect(await bench.reply('Glob', { pattern, path: 'src/deep' })).toMatchObject({
      error: { code, message: expect.stringMatching(message) },
    });
  });

  it('gives the newest first, and files of one moment by their paths', async () => {
    const bench = await createToolBench({ 'b.txt': '', 'a.txt': '', 'c.txt': '', 'd.txt': '' });
    const times = { 'a.txt': 2000, 'b.txt': 2000, 'c.txt': 3000, 'd.txt': 1000 };
    for (const [name, seconds] of Object.entries(times)) {
      await bench.workspace.fs.utimes(`/work/${name}`, seconds, seconds);
    }
    const output = await bench.call('Glob', { pattern: '*.txt' });
    expect(output).toEqual({
      durationMs: expect.any(Number),
      numFiles: 4,
      filenames: ['/work/c.txt', '/work/a.txt', '/work/b.txt', '/work/d.txt'],
      truncated: false,
      totalMatches: 4,
      countIsComplete: true,
    });
  });

  it('gives 100 names and the true total', async () => {
    const many = Object.fromEntries(Array.from({ length: 130 }, (_, at) => [`f${at}.txt`, '']));
    const bench = await createToolBench(many);
    const output = (await bench.call('Glob', { pattern: '*.txt' })) as GlobOutput;
    expect(output).toMatchObject({ numFiles: 100, truncated: true, totalMatches: 130 });
    const block = globTool.mapToolResultToToolResultBlockParam(output, 'toolu_1');
    expect(String(block.content).split('\n').at(-1)).toBe(
      '(The newest 100 of 130 files. Narrow the pattern or give a path to see others.)',
    );
  });

  it('neither lists nor counts what is denied', async () => {
    const rules = [{ effect: 'deny', operation: 'read', glob: 'src/deep' }];
    expect(await find({ pattern: 'src/**' }, { rules })).toEqual(['src/app.test.ts', 'src/app.ts']);
  });

  it('looks through a link as through the directory that it leads to, and denies as much', async () => {
    const rules = [{ effect: 'deny', operation: 'read', glob: 'src/deep' }] as const;
    const bench = await createToolBench({ ...files, 'src/.gitignore': '*.test.ts' }, { rules });
    await bench.workspace.fs.symlink('src', '/work/link');
    await bench.workspace.fs.symlink('src/deep', '/work/denied');
    const found = async (pattern: string, path: string) => {
      const { filenames } = (await bench.call('Glob', { pattern, path })) as GlobOutput;
      return filenames.toSorted();
    };
    expect(await found('/*.ts', 'link')).toEqual(['/work/link/app.test.ts', '/work/link/app.ts']);
    expect(await found('!.*', '/work/link')).toEqual(['/work/link/app.ts']);
    expect(await found('*.js', 'link')).toEqual([]);
    expect(await bench.reply('Glob', { pattern: '*', path: 'denied' })).toMatchObject({
      type: 'failed',
    });
    // Grep's globs are relative to the working directory, as the link is.
    const grep = (glob: string) => bench.call('Grep', { pattern: '^', path: 'link', glob });
    await bench.write('/work/src/app.ts', 'text');
    expect(await grep('/link/*.ts')).toMatchObject({ filenames: ['link/app.ts'] });
    expect(await grep('/src/*.ts')).toMatchObject({ filenames: [] });
  });

  it('neither lists nor follows the links that it comes to', async () => {
    const bench = await createToolBench(files);
    await bench.workspace.fs.symlink('src', '/work/link');
    await bench.workspace.fs.symlink('../README.md', '/work/src/file-link.md');
    await bench.workspace.fs.symlink('..', '/work/src/loop');
    const { filenames } = (await bench.call('Glob', { pattern: '*.{md,ts}' })) as GlobOutput;
    const names = ['README.md', 'src/app.test.ts', 'src/app.ts'];
    expect(filenames.toSorted()).toEqual(names.map((name) => `/work/${name}`));
  });

  it('keeps to the ignore files of all directories above the one that is searched', async () => {
    const bench = await createToolBench({
      '.gitignore': '*.log\n',
      'a/.gitignore': 'x.txt\n',
      'a/b/k.log': '',
      'a/b/x.txt': '',
      'a/b/y.txt': '',
    });
    const output = await bench.call('Glob', { pattern: '!*.none', path: 'a/b' });
    expect(output).toMatchObject({ filenames: ['/work/a/b/y.txt'] });
  });

  it('does nothing once it is cut, and ends when its time is over, also while it lists', async () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`f${at}.txt`, '']));
    const cut = await createToolBench(many, { signal: AbortSignal.abort() });
    expect(await cut.reply('Glob', { pattern: '*' })).toMatchObject({
      error: { code: 'aborted' },
    });
    const late = await createToolBench(many, { limits: { timeoutMs: -1 } });
    for (const [name, pattern] of [
      ['Glob', '*'],
      ['Grep', 'x'],
    ] as const) {
      expect(await late.reply(name, { pattern })).toMatchObject({
        error: { code: 'limit-exceeded', message: expect.stringMatching(/Look below a smaller/) },
      });
    }
  });

  it('says when nothing is found', async () => {
    const bench = await createToolBench(files);
    const output = (await bench.call('Glob', { pattern: '*.rs' })) as GlobOutput;
    expect(globTool.mapToolResultToToolResultBlockParam(output, 'toolu_1').content).toBe(
      'No files found.',
    );
  });

  it.each([
    ['a path that is a file', { pattern: '*', path: 'README.md' }, 'ENOTDIR', /is a file/],
    ['a path that is not there', { pattern: '*', path: 'srcs' }, 'ENOENT', /there is: src/],
    ['a path outside', { pattern: '*', path: '/etc' }, 'EACCES', /outside the workspace/],
    ['a class that is never closed', { pattern: '[a' }, 'invalid-input', /never closed/],
    ['a brace that is never closed', { pattern: '{a,b' }, 'invalid-input', /never closed/],
  ])('refuses %s', async (_what, input, code, message) => {
    const bench = await createToolBench(files);
    expect(await bench.reply('Glob', input)).toMatchObject({
      type: 'failed',
      error: { code, message: expect.stringMatching(message) },
    });
  });
});

describe('Glob that finds nothing', () => {
  const odd = { ...files, 'app/[slug]/page.tsx': '', 'dist/lib/a.js': '' };
  const ask = async (input: Record<string, unknown>, options = {}) => {
    const bench = await createToolBench(odd, options);
    const output = (await bench.call('Glob', input)) as GlobOutput;
    return globTool.mapToolResultToToolResultBlockParam(output, 'toolu_1').content;
  };

  it.each([
    [
      'src',
      '/work/src is a directory, and Glob finds files: give it as path, and "**" as pattern.',
    ],
    [
      './src/deep/',
      '/work/src/deep is a directory, and Glob finds files: give it as path, and "**" as pattern.',
    ],
    [
      'dist/*.js',
      '/work/dist isn\'t searched from above, as it is ignored or a link. There 1 file fits: give it as path, and "/*.js" as pattern.',
    ],
    [
      'dist/lib/a.js',
      '/work/dist/lib isn\'t searched from above, as it is ignored or a link. There 1 file fits: give it as path, and "/a.js" as pattern.',
    ],
    [
      'app/[slug]/*',
      'In a glob [ and ] stand for one character. Where they belong to the name, 1 file fits: write app/\\[slug\\]/*',
    ],
  ])('by %s says what to ask instead', async (pattern, hint) => {
    expect(await ask({ pattern })).toBe(`No files found. (${hint})`);
  });

  it.each(['*.py', 'src/*.py', 'nowhere/*', '[xyz].md', '[a{[-a]a', '!**'])(
    'by %s says no more',
    async (pattern) => {
      expect(await ask({ pattern })).toBe('No files found.');
    },
  );

  it('tells nothing of what is denied', async () => {
    const rules = [{ effect: 'deny', operation: 'read', glob: 'dist/**' }];
    expect(await ask({ pattern: 'dist/*.js' }, { rules })).toBe('No files found.');
  });
});
