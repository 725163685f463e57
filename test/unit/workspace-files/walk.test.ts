// The expected lists were compared with ripgrep's `rg --files` on the same trees.
import { describe, expect, it } from 'vitest';
import type { WalkOptions } from '../../../src/workspace/files/file-system.ts';
import { createMemoryWorkspace } from '../../../src/workspace/memory-workspace.ts';

async function walk(
  files: Record<string, string>,
  directory = '/',
  options?: WalkOptions,
): Promise<string[]> {
  const { fs } = await createMemoryWorkspace();
  for (const [path, text] of Object.entries(files)) {
    await fs.mkdir(path.slice(0, path.lastIndexOf('/')) || '/', { recursive: true });
    await fs.writeFile(path, text);
  }
  return (await fs.walk(directory, options)).map(({ path }) => path);
}

describe('walk', () => {
  it('leaves out what .gitignore names, anchored, by directory, by pattern and by exception', async () => {
    const files = {
      '/.gitignore': '# comment\n*.log\n!keep.log\n/build/\nnotes/*.txt\n',
      '/a.log': '',
      '/keep.log': '',
      '/build/x': '',
      '/src/build/x': '',
      '/src/deep.log': '',
      '/notes/a.txt': '',
      '/notes/deep/a.txt': '',
    };
    expect(await walk(files)).toEqual(['/keep.log', '/notes/deep/a.txt', '/src/build/x']);
  });

  it('lets the deeper .gitignore decide', async () => {
    const files = {
      '/.gitignore': '*.log\n',
      '/sub/.gitignore': '!a.log\nb.ts\n',
      '/sub/a.log': '',
      '/sub/b.ts': '',
      '/b.ts': '',
      '/c.log': '',
    };
    expect(await walk(files)).toEqual(['/b.ts', '/sub/a.log']);
  });

  it('lets .rgignore beat .ignore, .ignore beat .gitignore, .gitignore beat .git/info/exclude', async () => {
    const files = {
      '/.git/info/exclude': 'a\nb\nc\nd\n',
      '/.gitignore': '!b\nc\n',
      '/.ignore': '!c\nd\n',
      '/deep/.gitignore': 'd\n',
      '/.rgignore': '!d\n',
      '/a': '',
      '/b': '',
      '/c': '',
      '/d': '',
      '/deep/d': '',
    };
    expect(await walk(files)).toEqual(['/b', '/c', '/d', '/deep/d']);
  });

  it('enters a directory that a weightier file lets in, and judges its files by themselves', async () => {
    const files = {
      '/.gitignore': 'dist/\n*.map\n',
      '/.ignore': '!dist/\n',
      '/dist/app.js': '',
      '/dist/app.map': '',
      '/dist/dist/inner': '',
    };
    expect(await walk(files)).toEqual(['/dist/app.js', '/dist/dist/inner']);
  });

  it('walks an ignored directory that it is given by name', async () => {
    const files = { '/.gitignore': 'dist/\n*.map\n', '/dist/app.js': '', '/dist/app.map': '' };
    expect(await walk(files, '/dist')).toEqual(['/dist/app.js']);
    expect(await walk(files, '/')).toEqual([]);
  });

  it('obeys the ignore files above the directory, but no git rules from beyond its repository', async () => {
    const files = {
      '/.gitignore': 'a\n',
      '/.ignore': 'b\n',
      '/repo/.git/HEAD': '',
      '/repo/.gitignore': 'c\n',
      '/repo/src/a': '',
      '/repo/src/b': '',
      '/repo/src/c': '',
      '/repo/src/d': '',
    };
    expect(await walk(files, '/repo/src')).toEqual(['/repo/src/a', '/repo/src/d']);
    expect(await walk(files)).toEqual(['/repo/src/a', '/repo/src/d']);
  });

  it('leaves out hidden names unless asked, or let in by an ignore file; .git always', async () => {
    const files = {
      '/.gitignore': '!.github\n',
      '/.env': '',
      '/.github/ci.yml': '',
      '/.git/config': '',
      '/sub/.git': 'gitdir: elsewhere',
    };
    expect(await walk(files)).toEqual(['/.github/ci.yml']);
    expect(await walk(files, '/', { includeHidden: true })).toEqual([
      '/.env',
      '/.github/ci.yml',
      '/.gitignore',
    ]);
  });

  it('tells names of different case apart', async () => {
    expect(await walk({ '/.gitignore': 'README\n', '/README': '', '/readme': '' })).toEqual([
      '/readme',
    ]);
  });

  it('takes a directory whose name has characters of patterns by its name only', async () => {
    const files = {
      '/.gitignore': '*\n',
      '/.ignore': '!a\\[1\\] b/\n',
      '/a[1] b/.ignore': '!x\n',
      '/a[1] b/x': '',
      '/a1 b/x': '',
    };
    expect(await walk(files)).toEqual(['/a[1] b/x']);
  });

  it('passes over lines that are no globs, and answers hostile ones', async () => {
    const name = 'a'.repeat(250);
    const hostile = `${'*a'.repeat(30)}b\n${'{a,aa}'.repeat(60)}b\n${'**/a*/'.repeat(20)}b`;
    const files = {
      '/.gitignore': `[a\n{a\n${hostile}\n\n#x\n\\#y\n!\nz\\ \nw  \r\n`,
      '/#x': '',
      '/#y': '',
      '/z ': '',
      '/w': '',
      [`/${name}`]: '',
      [`/${name}b`]: '',
    };
    expect(await walk(files)).toEqual(['/#x', `/${name}`]);
  });
});
