import { describe, expect, it } from 'vitest';
import { globTool } from '../../src/tools/glob/tool.ts';
import type { GlobOutput } from '../../src/tools/glob/schema.ts';
import { createToolBench } from '../support/run-tool.ts';

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
