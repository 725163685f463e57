import { expect, it } from 'vitest';
import { openRepl } from '../../support/repl/repl.ts';

// What Node 24 gives of the same folder.
it.each([
  ['src', 'src/a.ts src/lib'],
  ['src/', 'src//a.ts src//lib'],
  ['./src', './src/a.ts ./src/lib'],
  ['/work/src', '/work/src/a.ts /work/src/lib'],
  ['link', 'link/a.ts link/lib'],
])('readdir of %s with types says where it was looked for', async (folder, paths) => {
  const repl = await openRepl({ 'src/a.ts': '', 'src/lib/b.ts': '' });
  const code = `fs.symlinkSync('src', 'link');
    fs.readdirSync('${folder}', { withFileTypes: true }).map((entry) => entry.parentPath + '/' + entry.name).join(' ')`;
  expect(await repl.value(code)).toBe(`'${paths}'`);
});

it.each([
  ['.', 'src/lib/b.ts'],
  ['src', 'src/lib/b.ts'],
  ['./src/', 'src/lib/b.ts'],
  ['link', 'link/lib/b.ts'],
  ['/work/src/lib/..', '/work/src/lib/b.ts'],
])('and so it does of what is below: %s', async (folder, path) => {
  const repl = await openRepl({ 'src/a.ts': '', 'src/lib/b.ts': '' });
  const code = `fs.symlinkSync('src', 'link'); const { join } = require('path');
    const entries = await fs.promises.readdir('${folder}', { withFileTypes: true, recursive: true });
    entries.filter(({ name }) => name === 'b.ts').map((entry) => join(entry.parentPath, entry.name))`;
  expect(await repl.value(code)).toBe(`[ '${path}' ]`);
});
