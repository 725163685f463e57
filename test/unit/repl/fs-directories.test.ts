// What Node does to the same.
import { expect, it } from 'vitest';
import { openRepl } from '../../support/repl/repl.ts';

it('opens directories, which give their entries one by one', async () => {
  const repl = await openRepl({ 'd/a.txt': '', 'd/s/b.txt': '' });
  const { value, error } = await repl.run(`
    const names = [];
    for await (const entry of await fs.promises.opendir('d')) names.push([entry.name, entry.isDirectory()]);
    const dir = fs.opendirSync('d');
    const first = dir.readSync().name, second = (await dir.read()).name, end = dir.readSync();
    dir.closeSync();
    const given = await new Promise((done) => fs.opendir('d', (_error, opened) => done(opened)));
    const code = await fs.promises.opendir('none').catch((error) => error.code);
    const native = await new Promise((done) => fs.realpath.native('d', (_error, path) => done(path)));
    [names, first, second, end, given instanceof fs.Dir, given.path, code, native]`);
  expect(error).toBeUndefined();
  const names = [
    ['a.txt', false],
    ['s', true],
  ];
  expect(value).toEqual([names, 'a.txt', 's', null, true, 'd', 'ENOENT', '/work/d']);
});

it('closes a directory once', async () => {
  const repl = await openRepl({ 'd/a.txt': '' });
  const code = `const codes = [];
    const dir = fs.opendirSync('d');
    for await (const entry of dir) codes.push(entry.name);
    for (const use of ['readSync', 'closeSync']) try { dir[use](); } catch (error) { codes.push(error.code); }
    codes`;
  expect((await repl.run(code)).value).toEqual(['a.txt', 'ERR_DIR_CLOSED', 'ERR_DIR_CLOSED']);
});
