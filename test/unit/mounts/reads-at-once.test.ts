// How many files of a source are read at once: a page waits a millisecond or so for each answer of the browser's.
import { expect, it } from 'vitest';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { createMemoryHostFs } from '../../support/files/memory-host-fs.ts';

it.each([
  ['sixteen small ones', 40, 10, 16],
  ['a large one alone', 3, 1_100_000, 1],
  ['as many as come to a megabyte', 6, 400_000, 2],
])('are %s', async (_, count, size, most) => {
  await using host = await createInlineHost();
  const files = Array.from({ length: count }, (_, n) => [`f${n}`, new Uint8Array(size).fill(n)]);
  const source = createMemoryHostFs({ files: Object.fromEntries(files) });
  let open = 0;
  let seen = 0;
  const slow = {
    ...source,
    async readFile(path: string) {
      seen = Math.max(seen, (open += 1));
      await new Promise((resolve) => setTimeout(resolve));
      open -= 1;
      return source.readFile(path);
    },
  };
  await host.mount('disk', slow);
  expect(seen).toBe(most);
  const last = await host.workspace.fs.readFile(`/workspace/disk/f${count - 1}`);
  expect([last.length, last[0]]).toEqual([size, count - 1]);
});
