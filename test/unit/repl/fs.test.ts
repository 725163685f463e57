import { describe, expect, it } from 'vitest';
import type { FileChange } from '../../../src/core/change-set.ts';
import { openRepl } from '../../support/repl.ts';

describe('fs', () => {
  it('reads and writes, as text and as bytes', async () => {
    const repl = await openRepl();
    expect(
      await repl.value(`
        fs.writeFileSync('a.txt', 'hé');
        fs.appendFileSync('a.txt', Buffer.from('llo'));
        fs.writeFileSync('b.bin', new Uint8Array([0, 255]));
        fs.writeFileSync('c.txt', 'ff00', 'hex');
        fs.writeFileSync('a.txt', '!', { flag: 'a' });
        [fs.readFileSync('a.txt', 'utf8'), fs.readFileSync('a.txt').toString(), fs.readFileSync('a.txt', { encoding: 'base64' }),
         fs.readFileSync('b.bin'), fs.readFileSync('c.txt')]`),
    ).toBe("[ 'héllo!', 'héllo!', 'aMOpbGxvIQ==', <Buffer 00 ff>, <Buffer ff 00> ]");
  });

  it('makes, lists, moves, copies and removes', async () => {
    const repl = await openRepl();
    expect(
      await repl.value(`
        const made = fs.mkdirSync('d/e', { recursive: true });
        fs.writeFileSync('d/e/f', '1'); fs.cpSync('d', 'g', { recursive: true });
        fs.renameSync('d/e/f', 'd/h'); fs.copyFileSync('d/h', 'i'); fs.symlinkSync('i', 'j');
        fs.rmdirSync('d/e'); fs.unlinkSync('d/h'); fs.rmSync('d', { recursive: true }); fs.rmSync('none', { force: true });
        [made, fs.readdirSync('.'), fs.readdirSync('.', { recursive: true }).length,
         fs.readdirSync('.', { withFileTypes: true }).map((e) => e.name + (e.isDirectory() ? '/' : e.isSymbolicLink() ? '@' : '')).join(' '),
         fs.readlinkSync('j'), fs.realpathSync('j'), fs.existsSync('d'), fs.statSync('i').size, fs.lstatSync('j').isSymbolicLink()]`),
    ).toBe("[ '/work/d', [ 'g', 'i', 'j' ], 5, 'g/ i j@', 'i', '/work/i', false, 1, true ]");
  });

  it('has the promise and the callback forms of them all', async () => {
    const repl = await openRepl();
    expect(
      await repl.value(`
        import { writeFile, readFile } from 'node:fs/promises';
        await writeFile('a', 'x');
        const called = await new Promise((done) => fs.readFile('a', 'utf8', (error, text) => done([error, text])));
        const failed = await new Promise((done) => fs.stat('b', (error) => done(error.code)));
        [await readFile('a', 'utf8'), await fs.promises.stat('a').then((s) => s.isFile()), called, failed]`),
    ).toBe("[ 'x', true, [ null, 'x' ], 'ENOENT' ]");
  });

  it.each([
    ['fs.readFileSync("none")', "ENOENT: no such file or directory, open 'none'", 'ENOENT'],
    ['fs.mkdirSync("file/below")', "ENOTDIR: not a directory, mkdir 'file/below'", 'ENOTDIR'],
    ['fs.mkdirSync("dir")', "EEXIST: file already exists, mkdir 'dir'", 'EEXIST'],
    ['fs.rmdirSync("dir")', "ENOTEMPTY: directory not empty, rmdir 'dir'", 'ENOTEMPTY'],
    [
      'fs.renameSync("none", "x")',
      "ENOENT: no such file or directory, rename 'none' -> 'x'",
      'ENOENT',
    ],
    [
      'fs.writeFileSync("file", "", { flag: "wx" })',
      "EEXIST: file already exists, open 'file'",
      'EEXIST',
    ],
    [
      'await fs.promises.readFile("none")',
      "ENOENT: no such file or directory, open 'none'",
      'ENOENT',
    ],
  ])('fails as in Node: %s', async (code, message, errorCode) => {
    const repl = await openRepl({ file: '', 'dir/x': '' });
    expect(
      await repl.value(
        `let caught; try { ${code} } catch (error) { caught = error } [caught instanceof Error, caught.message, caught.code].join('|')`,
      ),
    ).toBe(
      `${message.includes("'") ? '"' : "'"}true|${message}|${errorCode}${message.includes("'") ? '"' : "'"}`,
    );
  });

  it.each([
    [
      'fs.readFileSync(1)',
      'The "path" argument must be of type string or an instance of Buffer or URL. Received 1',
    ],
    [
      'fs.writeFileSync("a", {})',
      'The "data" argument must be of type string or an instance of Buffer, TypedArray, or DataView. Received {}',
    ],
    ['fs.readFileSync("")', "ENOENT: no such file or directory, open ''"],
    [
      'fs.readFile("a")',
      'The "cb" argument must be of type function: use fs.promises.readFile or fs.readFileSync without one.',
    ],
    [
      'fs.createReadStream("a")',
      "fs.createReadStream isn't available in this sandbox: read and write whole files (readFileSync, writeFileSync, appendFileSync).",
    ],
  ])('refuses %s', async (code, message) => {
    const repl = await openRepl();
    expect((await repl.run(code)).error?.message).toBe(message);
  });

  it('answers existsSync and throwIfNoEntry without an error', async () => {
    const repl = await openRepl();
    expect(
      await repl.value(
        '[fs.existsSync("x"), fs.existsSync(null), fs.statSync("x", { throwIfNoEntry: false })]',
      ),
    ).toBe('[ false, false, undefined ]');
  });

  it('writes nothing where the cell has no right to, and says why', async () => {
    const repl = await openRepl({ a: '1' }, { access: { write: 'deny' } });
    const { error, rolledBack } = await repl.run('fs.writeFileSync("a", "2")');
    expect(rolledBack).toBe(true);
    expect(error?.message).toMatch(/^EROFS: /u);
    expect(await repl.workspace.fs.readFile('/work/a', 'utf8')).toBe('1');
  });

  it('sees nothing outside the workspace', async () => {
    const repl = await openRepl(
      {},
      { access: { rules: [{ effect: 'deny', operation: 'read', glob: 'secret' }] } },
    );
    await repl.workspace.fs.mkdir('/work/secret');
    await repl.workspace.fs.writeFile('/work/secret/key', 'k');
    expect(
      await repl.value(
        '[fs.existsSync("/etc"), fs.existsSync("secret/key"), fs.readdirSync("/work")]',
      ),
    ).toBe('[ false, false, [] ]');
  });
});

describe('the changes of a cell', () => {
  it('are those of its draft, and none when it failed', async () => {
    const repl = await openRepl({ 'a.txt': 'one\ntwo\n' });
    const write = "fs.writeFileSync('a.txt', 'one\\n2\\n'); fs.mkdirSync('empty');";
    const list = ({ changes }: { changes: readonly FileChange[] }) =>
      changes.map(({ type, path }) => `${type} ${path}`);
    expect(list(await repl.run(`${write} throw new Error('no')`))).toEqual([]);
    expect(list(await repl.run(write))).toEqual(['update /work/a.txt', 'create /work/empty']);
    expect(list(await repl.run('1'))).toEqual([]);
  });

  it('name the file that a link leads to', async () => {
    const repl = await openRepl({ 'real.txt': 'a\n' });
    await repl.run('fs.symlinkSync("real.txt", "link")');
    const { changes } = await repl.run('fs.writeFileSync("link", "b\\n")');
    expect(changes.map((change) => change.path)).toEqual(['/work/real.txt']);
  });
});
