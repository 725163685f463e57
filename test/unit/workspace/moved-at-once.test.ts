// A directory is moved while a file below it is removed or moved: in whichever order they count, the file is nowhere twice.
import { expect, it } from 'vitest';
import { createMemoryWorkspace } from '../../../src/workspace/memory-workspace.ts';

async function open() {
  const { fs } = await createMemoryWorkspace();
  await fs.mkdir('/a');
  await fs.writeFile('/a/x', 'x');
  await fs.writeFile('/a/y', 'y');
  return fs;
}

it('leaves a file removed that was removed', async () => {
  const fs = await open();
  await Promise.all([fs.rm('/a/x'), fs.rename('/a', '/b')]);
  expect(await fs.readdir('/', { recursive: true })).toEqual(['b', 'b/y']);
});

it('leaves a file where it was moved to', async () => {
  const fs = await open();
  await Promise.all([fs.rename('/a/x', '/x'), fs.rename('/a', '/b')]);
  expect(await fs.readdir('/', { recursive: true })).toEqual(['b', 'b/y', 'x']);
});
