// The example of docs/embedding.md of files that are a host's own.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { OwnFiles } from '../../../docs/examples/own-files.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';

it('docs/examples/own-files.ts is mounted, and keeps what changes', async () => {
  const files = new OwnFiles();
  files.put('a.md', 'one');
  const host = await createInlineHost();
  const mount = await host.mount('notes', files);
  const { fs } = host.workspace;
  expect(await fs.readFile('/workspace/notes/a.md', 'utf8')).toBe('one');
  await fs.writeFile('/workspace/notes/a.md', 'two, longer');
  await fs.mkdir('/workspace/notes/folder');
  files.put('b.md', 'b');
  await mount.sync();
  expect(files.text('a.md')).toBe('two, longer');
  expect(await fs.readFile('/workspace/notes/b.md', 'utf8')).toBe('b');
  expect(mount.state().problems.map(({ message }) => message)).toEqual([
    "/workspace/notes/folder isn't written to notes: there are no folders among notes, as folder is.",
  ]);
  await host[Symbol.asyncDispose]();
});

it('docs/embedding.md shows that file, and the one of projects', () => {
  const read = (path: string) =>
    readFileSync(new URL(`../../../docs/${path}`, import.meta.url), 'utf8');
  for (const example of ['own-files.ts', 'projects.ts']) {
    expect(read('embedding.md')).toContain(read(`examples/${example}`));
  }
});
