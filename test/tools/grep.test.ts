import { describe, expect, it } from 'vitest';
import { grepTool } from '../../src/tools/grep/tool.ts';
import type { GrepOutput } from '../../src/tools/grep/schema.ts';
import { createToolBench, type ToolBench } from '../support/stages/run-tool.ts';

const files = {
  '.gitignore': 'dist/\n',
  '.env.sample': 'needle=1\n',
  'README.md': '# Needle\n\nFind the needle.\n',
  'src/a.ts': 'const needle = 1;\nconst other = 2;\n\nneedle(needle);\n',
  'src/b.ts': 'no match here\n',
  'src/deep/c.js': 'needle\r\nneedles\r\n',
  'dist/built.js': 'needle\n',
  'data.bin': new Uint8Array([0x6e, 0, 0x6e]),
};

async function grep(input: Record<string, unknown>, bench?: ToolBench): Promise<GrepOutput> {
  const used = bench ?? (await createToolBench(files));
  return (await used.call('Grep', input)) as GrepOutput;
}

/** The output in content mode, line by line. */
async function lines(input: Record<string, unknown>): Promise<string[]> {
  const { content } = await grep({ output_mode: 'content', ...input });
  return content ? content.split('\n') : [];
}

describe('Grep by default', () => {
  it('gives the names of the files that match, the newest first, and their number', async () => {
    const bench = await createToolBench(files);
    await bench.workspace.fs.utimes('/work/README.md', 5000, 5000);
    await bench.workspace.fs.utimes('/work/.env.sample', 4000, 4000);
    await bench.workspace.fs.utimes('/work/src/a.ts', 6000, 6000);
    await bench.workspace.fs.utimes('/work/src/deep/c.js', 5000, 5000);
    expect(await grep({ pattern: 'needle' }, bench)).toEqual({
      mode: 'files_with_matches',
      numFiles: 4,
      filenames: ['src/a.ts', 'README.md', 'src/deep/c.js', '.env.sample'],
      totalFiles: 4,
    });
  });

  it('tells how far it has come', async () => {
    const bench = await createToolBench(files);
    await grep({ pattern: 'needle' }, bench);
    expect(bench.progress).toEqual([{ searchedFiles: 7, totalFiles: 7 }]);
  });
});

describe('Grep in content mode', () => {
  it('gives lines with their path and number, by path', async () => {
    expect(await lines({ pattern: 'needle' })).toEqual([
      '.env.sample:1:needle=1',
      'README.md:3:Find the needle.',
      'src/a.ts:1:const needle = 1;',
      'src/a.ts:4:needle(needle);',
      'src/deep/c.js:1:needle\r',
      'src/deep/c.js:2:needles\r',
    ]);
  });

  it.each([
    [{ '-n': false }, ['src/a.ts:const needle = 1;', 'src/a.ts:needle(needle);']],
    [{ '-o': true }, ['src/a.ts:1:needle', 'src/a.ts:4:needle', 'src/a.ts:4:needle']],
    [
      { '-A': 1 },
      [
        'src/a.ts:1:const needle = 1;',
        'src/a.ts-2-const other = 2;',
        '--',
        'src/a.ts:4:needle(needle);',
      ],
    ],
    [
      { '-B': 2 },
      [
        'src/a.ts:1:const needle = 1;',
        'src/a.ts-2-const other = 2;',
        'src/a.ts-3-',
        'src/a.ts:4:needle(needle);',
      ],
    ],
    [
      { context: 1, pattern: 'other' },
      ['src/a.ts-1-const needle = 1;', 'src/a.ts:2:const other = 2;', 'src/a.ts-3-'],
    ],
    [{ '-i': true, pattern: 'NEEDLE\\(' }, ['src/a.ts:4:needle(needle);']],
    [{ head_limit: 1 }, ['src/a.ts:1:const needle = 1;']],
    [{ offset: 1 }, ['src/a.ts:4:needle(needle);']],
    [{ pattern: '^$' }, ['src/a.ts:3:']],
    [
      { pattern: '1;\\nconst', multiline: true },
      ['src/a.ts:1:const needle = 1;', 'src/a.ts:2:const other = 2;'],
    ],
  ])('takes %j', async (input, expected) => {
    expect(await lines({ pattern: 'needle', path: 'src/a.ts', ...input })).toEqual(expected);
  });

  it('stops at the limit, and says how to go on', async () => {
    const output = await grep({
      pattern: 'needle',
      output_mode: 'content',
      head_limit: 2,
      offset: 1,
    });
    expect(output).toEqual({
      mode: 'content',
      numFiles: 2,
      filenames: ['README.md', 'src/a.ts'],
      content: 'README.md:3:Find the needle.\nsrc/a.ts:1:const needle = 1;',
      numLines: 2,
      marks: [
        [9, 15],
        [6, 12],
      ],
      appliedLimit: 2,
      appliedOffset: 1,
    });
    const block = grepTool.mapToolResultToToolResultBlockParam(output, 'toolu_1');
    expect(String(block.content).split('\n').at(-1)).toBe(
      '(This ends at number 3. There is more: go on with offset: 3.)',
    );
  });

  it('says where in its lines a pattern of any kind matches', async () => {
    const bench = await createToolBench({ 'a.txt': 'Ab ab\nnone\n\n\n\nxAB' });
    const input = { pattern: '(a)b\\b', '-i': true, '-A': 1, output_mode: 'content' };
    const { content, marks } = await grep(input, bench);
    expect(String(content).split('\n')).toEqual([
      'a.txt:1:Ab ab',
      'a.txt-2-none',
      '--',
      'a.txt:6:xAB',
    ]);
    expect(marks).toEqual([[0, 2, 3, 5], [], [], [1, 3]]);
  });

  it('gives 250 lines where no limit is set, and all where it is 0', async () => {
    const bench = await createToolBench({ 'a.txt': 'x\n'.repeat(300) });
    const input = { pattern: 'x', output_mode: 'content' };
    expect(await grep(input, bench)).toMatchObject({ numLines: 250, appliedLimit: 250 });
    const all = await grep({ ...input, head_limit: 0 }, bench);
    expect(all).toMatchObject({ numLines: 300, totalLines: 300 });
    expect(all.appliedLimit).toBeUndefined();
  });

  it('names a binary file that was asked for, without showing its lines', async () => {
    const output = await grep({ pattern: 'n', path: 'data.bin', output_mode: 'content' });
    expect(output).toMatchObject({ content: '', binaryFiles: ['data.bin'] });
    expect(grepTool.mapToolResultToToolResultBlockParam(output, 'toolu_1').content).toBe(
      '\n(Binary files that match, not shown: data.bin.)',
    );
  });
});

describe('Grep in count mode', () => {
  it('counts lines by file, and all of them whatever the limit', async () => {
    expect(await grep({ pattern: 'needle', output_mode: 'count', head_limit: 2 })).toEqual({
      mode: 'count',
      numFiles: 2,
      filenames: ['.env.sample', 'README.md'],
      content: '.env.sample:1\nREADME.md:1',
      numLines: 2,
      numMatches: 6,
      totalFiles: 4,
      appliedLimit: 2,
    });
  });
});

describe('Grep looks into', () => {
  it.each([
    ['files that a glob names', { glob: '*.ts' }, ['src/a.ts']],
    ['files of several globs', { glob: '*.ts,*.md' }, ['README.md', 'src/a.ts']],
    [
      'files of globs that are written as paths',
      { glob: './src/*.ts,/work/*.md' },
      ['README.md', 'src/a.ts'],
    ],
    [
      'all files but those of a negated glob, written so',
      { glob: '!./src' },
      ['.env.sample', 'README.md'],
    ],
    ['all files but those of a negated glob', { glob: '!src' }, ['.env.sample', 'README.md']],
    [
      'ignored directories that a glob names with what is in them',
      { glob: 'dist/**,dist' },
      ['dist/built.js'],
    ],
    ['files of a type', { type: 'js' }, ['src/deep/c.js']],
    ['a directory', { path: 'src' }, ['src/a.ts', 'src/deep/c.js']],
    ['a file that is named, though it is ignored', { path: 'dist/built.js' }, ['dist/built.js']],
  ])('%s', async (_what, input, names) => {
    const { filenames } = await grep({ pattern: 'needle', ...input });
    expect(filenames.toSorted()).toEqual(names);
  });

  it.each(['files_with_matches', 'content', 'count'])(
    'no file where a glob fits none, and says so in %s',
    async (output_mode) => {
      const output = await grep({ pattern: 'needle', path: 'src', glob: 'deep/*.js', output_mode });
      expect(grepTool.mapToolResultToToolResultBlockParam(output, 'toolu_1').content).toMatch(
        /^No matches found\.\n\n\(No file was searched: .*A glob with a slash is taken from the working directory/u,
      );
      const searched = await grep({ pattern: 'absent', glob: 'src/**', output_mode });
      expect(grepTool.mapToolResultToToolResultBlockParam(searched, 'toolu_1').content).toBe(
        'No matches found.',
      );
    },
  );

  it('no denied file, and counts none', async () => {
    const bench = await createToolBench(files, {
      rules: [{ effect: 'deny', operation: 'read', glob: 'src/**' }],
    });
    expect(await grep({ pattern: 'needle', output_mode: 'count' }, bench)).toMatchObject({
      content: '.env.sample:1\nREADME.md:1',
      numMatches: 2,
      totalFiles: 2,
    });
  });

  it('nothing that a person must be asked about, and says which files those are', async () => {
    const bench = await createToolBench(files, {
      rules: [{ effect: 'ask', operation: 'read', glob: 'README.md' }],
    });
    const output = await grep({ pattern: 'needle', type: 'markdown' }, bench);
    expect(output).toMatchObject({ filenames: [], unreadFiles: ['README.md'] });
    expect(grepTool.mapToolResultToToolResultBlockParam(output, 'toolu_1').content).toBe(
      'No matches found.\n\n(Not searched: README.md.)',
    );
  });
});

describe('Grep refuses', () => {
  it.each([
    ['an unescaped brace', { pattern: 'interface{}' }, /character 10, .*escape it: \\\{/s],
    ['look-around', { pattern: 'a(?=b)' }, /look-around is not supported/],
    ['a backreference', { pattern: '(a)\\1' }, /backreference/],
    ['a line end without multiline', { pattern: 'a\\nb' }, /Set multiline/],
    ['a type that is not there', { pattern: 'a', type: 'tsx' }, /no file type "tsx"/],
    [
      'a type that is not there, where a file is named too',
      { pattern: 'a', type: 'nope', path: 'README.md' },
      /no file type "nope"/,
    ],
    ['a glob that is not closed', { pattern: 'a', glob: '[a', path: 'README.md' }, /never closed/],
    ['a path that is not there', { pattern: 'a', path: 'source' }, /doesn't exist/],
  ])('%s', async (_what, input, message) => {
    const bench = await createToolBench(files);
    expect(await bench.reply('Grep', input)).toMatchObject({
      type: 'failed',
      error: { name: 'ToolError', message: expect.stringMatching(message) },
    });
  });

  it('a stopped call', async () => {
    const bench = await createToolBench(files, { signal: AbortSignal.abort('stop') });
    expect(await bench.reply('Grep', { pattern: 'needle' })).toMatchObject({
      type: 'failed',
      error: { code: 'aborted' },
    });
  });
});
