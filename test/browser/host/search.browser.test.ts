// A page's own search: in a real tool worker, over what the page has written a moment ago.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import type { FoundFile, SearchFilesOptions } from '../../../src/browser.ts';
import {
  createBrowserHost,
  type BrowserHost,
} from '../../../src/hosts/browser/page/create-browser-host.ts';

let host: BrowserHost;

beforeAll(async () => {
  host = await createBrowserHost({
    workspace: `search-${crypto.randomUUID()}`,
    driver: 'memory',
    assets: { wasm: wasmUrl },
  });
  const { fs } = host.workspace;
  await fs.mkdir('/workspace/lib');
  await fs.writeFile('/workspace/b.txt', 'one\ntide two\n');
  await fs.writeFile('/workspace/lib/a.ts', 'export const TIDE = 1;\n');
  await fs.writeFile('/workspace/lib/kept.log', 'tide\n');
  await fs.writeFile('/workspace/.gitignore', '*.log\n');
});

afterAll(() => host[Symbol.asyncDispose]());

async function search(
  pattern: string,
  more: Partial<SearchFilesOptions & { globs: string[] }> = {},
) {
  const { globs = [], ...options } = more;
  const files: FoundFile[] = [];
  const { isComplete } = await host.searchFiles(
    { pattern, directory: '/workspace', ignoreCase: true, globs },
    {
      signal: new AbortController().signal,
      onFile: (file) => void files.push(file),
      ...options,
    },
  );
  return { files, isComplete };
}

describe('searchFiles of a browser host', () => {
  it('finds lines in the order of the paths, and not in ignored files', async () => {
    expect(await search('tide')).toEqual({
      isComplete: true,
      files: [
        { path: '/workspace/b.txt', lines: [{ number: 2, text: 'tide two' }] },
        { path: '/workspace/lib/a.ts', lines: [{ number: 1, text: 'export const TIDE = 1;' }] },
      ],
    });
  });

  it('sees what the page wrote before it asked', async () => {
    await host.workspace.fs.writeFile('/workspace/new.txt', 'neap\n');
    const { files } = await search('neap');
    expect(files.map(({ path }) => path)).toEqual(['/workspace/new.txt']);
  });

  it('ends at the most lines that were asked for, and says that there are more', async () => {
    const { files, isComplete } = await search('tide', { maxLines: 1 });
    expect(files).toHaveLength(1);
    expect(isComplete).toBe(false);
  });

  it('says how far it is', async () => {
    const told: [searched: number, total: number][] = [];
    await search('tide', { onProgress: (searched, total) => void told.push([searched, total]) });
    const [searched, total] = told.at(-1) ?? [];
    expect(total).toBeGreaterThan(0);
    expect(searched).toBe(total);
  });

  it('refuses a pattern with what to write instead', async () => {
    await expect(search('interface{}')).rejects.toMatchObject({
      code: 'invalid-input',
      message: expect.stringContaining(String.raw`\{`),
    });
  });

  it('rejects for a directory that is not there', async () => {
    const searching = host.searchFiles(
      { pattern: 'a', directory: '/workspace/missing' },
      { signal: new AbortController().signal, onFile: () => undefined },
    );
    await expect(searching).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('is over at once when it is stopped: nothing is heard of it, and the next one answers', async () => {
    const controller = new AbortController();
    const heard: string[] = [];
    const searching = search('tide', {
      signal: controller.signal,
      onFile: ({ path }) => void heard.push(path),
    });
    controller.abort();
    await expect(searching).rejects.toMatchObject({ code: 'aborted' });
    expect((await search('tide')).files).not.toHaveLength(0);
    expect(heard).toEqual([]);
  });

  it('does nothing for a signal that is aborted already', async () => {
    await expect(search('tide', { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'aborted',
    });
  });
});
