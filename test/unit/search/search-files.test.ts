import { describe, expect, it } from 'vitest';
import { searchFiles, type FoundFile } from '../../../src/search/search-files.ts';
import { SearchService } from '../../../src/search/search-service.ts';
import { createMemoryWorkspace } from '../../../src/workspace/memory-workspace.ts';
import { openAccess } from '../../support/files/workspaces.ts';

const files = {
  '/w/.gitignore': 'out\n',
  '/w/a.ts': 'one\n// TODO first\n',
  '/w/b/c.ts': '// todo second\nTODO third\n',
  '/w/d.md': 'TODO fourth\n',
  '/w/out': 'TODO ignored\n',
};

async function search(query: object, options: object = {}) {
  await using workspace = await createMemoryWorkspace();
  for (const [path, text] of Object.entries(files)) {
    await workspace.fs.mkdir(path.slice(0, path.lastIndexOf('/')), { recursive: true });
    await workspace.fs.writeFile(path, text);
  }
  await workspace.fs.symlink('b', '/w/link');
  const view = await workspace.openView(
    { root: 'main', minSeq: workspace.seq() },
    openAccess('/w'),
  );
  const found: FoundFile[] = [];
  const { isComplete } = await searchFiles(
    new SearchService().over(view),
    { pattern: 'TODO', directory: '/w', ...query },
    {
      signal: new AbortController().signal,
      onFile: (file) => found.push(file),
      ...options,
    },
  );
  return { isComplete, found };
}

describe('searchFiles', () => {
  it('finds lines by file, in the order of the paths', async () => {
    expect(await search({})).toEqual({
      isComplete: true,
      found: [
        { path: '/w/a.ts', lines: [{ number: 2, text: '// TODO first' }] },
        { path: '/w/b/c.ts', lines: [{ number: 2, text: 'TODO third' }] },
        { path: '/w/d.md', lines: [{ number: 1, text: 'TODO fourth' }] },
      ],
    });
  });

  it('takes globs, a type, and a pattern in any case', async () => {
    const query = { globs: ['!d.md'], type: 'ts', ignoreCase: true, directory: '/w/b' };
    expect((await search(query)).found).toEqual([
      {
        path: '/w/b/c.ts',
        lines: [
          { number: 1, text: '// todo second' },
          { number: 2, text: 'TODO third' },
        ],
      },
    ]);
  });

  it('looks through a link to a directory, with its rules and globs', async () => {
    const query = { globs: ['/*.ts'], directory: '/w/link' };
    const found = [{ path: '/w/link/c.ts', lines: [{ number: 2, text: 'TODO third' }] }];
    expect((await search(query)).found).toEqual(found);
    expect((await search({ ...query, globs: ['!c.ts'] })).found).toEqual([]);
  });

  it('ends where it has found enough, and says that there may be more', async () => {
    const { isComplete, found } = await search({}, { maxLines: 2 });
    expect([isComplete, found.map(({ path }) => path)]).toEqual([false, ['/w/a.ts', '/w/b/c.ts']]);
  });

  it('tells how far it is', async () => {
    const progress: number[][] = [];
    await search({}, { onProgress: (...at: number[]) => progress.push(at) });
    expect(progress).toEqual([[4, 4]]);
  });

  it('ends where it takes too long', async () => {
    await expect(search({}, { timeoutMs: -1 })).rejects.toMatchObject({ code: 'limit-exceeded' });
  });

  it('says what is wrong with a pattern', async () => {
    await expect(search({ pattern: 'interface{}' })).rejects.toMatchObject({
      code: 'invalid-input',
    });
  });
});
