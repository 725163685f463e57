import { describe, expect, it } from 'vitest';
import type { FileChange } from '../../../src/core/change-set.ts';
import { openRepl } from '../../support/repl/repl.ts';

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

  it('keeps a byte order mark, whatever the text goes through', async () => {
    const repl = await openRepl({ 'a.csv': '\uFEFFname;1\n' });
    expect(
      await repl.value(`
        const hex = (path) => fs.readFileSync(path).toString('hex', 0, 8);
        fs.writeFileSync('a.csv', fs.readFileSync('a.csv', 'utf8').replace('name', 'x'));
        fs.writeFileSync('b', 'a'); fs.appendFileSync('b', '\\uFEFFb');
        fs.writeFileSync('c', '\\uFEFF\\uFEFF'); fs.writeFileSync('d', '\\uFEFF\\uD800');
        fs.writeFileSync('\\uFEFFe', '');
        [...['a.csv', 'b', 'c', 'd'].map(hex), fs.readdirSync('.').at(-1).length,
         Buffer.from('\\uFEFFa').toString('hex'), new TextEncoder().encode('\\uFEFF').length].join()`),
    ).toBe("'efbbbf783b310a,61efbbbf62,efbbbfefbbbf,efbbbfefbfbd,2,efbbbf61,3'");
    expect((await repl.run("console.log('\\uFEFFx')")).stdout).toBe('\uFEFFx\n');
  });

  it('gives bytes that are the cell’s own, whatever it does to them', async () => {
    const repl = await openRepl({ 'a.txt': 'committed' });
    expect(
      await repl.value(`
        fs.writeFileSync('b.txt', 'draft');
        ['a.txt', 'b.txt'].map((path) => { fs.readFileSync(path).fill(0); return fs.readFileSync(path, 'utf8') })`),
    ).toBe("[ 'committed', 'draft' ]");
    expect(await repl.workspace.fs.readFile('/work/a.txt', 'utf8')).toBe('committed');
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
    ['fs.rmSync("none")', "ENOENT: no such file or directory, lstat 'none'", 'ENOENT'],
    ['fs.realpathSync("none")', "ENOENT: no such file or directory, lstat 'none'", 'ENOENT'],
    ['fs.cpSync("none", "x")', "ENOENT: no such file or directory, lstat 'none'", 'ENOENT'],
    ['fs.utimesSync("none", 1, 1)', "ENOENT: no such file or directory, utime 'none'", 'ENOENT'],
    [
      'fs.readFileSync("a\\0")',
      "The argument 'path' must be a string, Uint8Array, or URL without null bytes.",
      'ERR_INVALID_ARG_VALUE',
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

  it('numbers its errors as Linux does, and none that is about arguments', async () => {
    const repl = await openRepl();
    const errno = (code: string) =>
      `(() => { try { ${code} } catch (error) { return error.errno } })()`;
    expect(
      await repl.value(
        `[${errno('fs.readFileSync("none")')}, ${errno('fs.closeSync(99)')}, ${errno('fs.openSync("a", "zz")')}]`,
      ),
    ).toBe('[ -2, -9, undefined ]');
  });

  it('gives numbers as BigInts and names as bytes to who asks for them', async () => {
    const repl = await openRepl({ file: '12345' });
    expect(
      await repl.value(
        `const stats = fs.statSync('file', { bigint: true });
         [stats.size, stats.isFile(), stats.mtimeNs / 1_000_000n === stats.mtimeMs, stats.mtime instanceof Date,
          fs.readdirSync('.', 'buffer')]`,
      ),
    ).toBe('[ 5n, true, true, true, [ <Buffer 66 69 6c 65> ] ]');
  });

  it.each([
    [
      'fs.readFileSync(null)',
      'The "path" argument must be of type string or an instance of Buffer or URL. Received null',
    ],
    [
      'fs.writeFileSync("a", {})',
      'The "data" argument must be of type string or an instance of Buffer, TypedArray, or DataView. Received an instance of Object',
    ],
    [
      'fs.readFileSync("a", "nope")',
      "The argument 'encoding' is invalid encoding. Received 'nope'",
    ],
    ['fs.readFileSync(new URL("http://a/"))', 'The URL must be of scheme file'],
    ['fs.readFileSync(9)', 'EBADF: bad file descriptor, read'],
    [
      'fs.openSync("a", "zz")',
      "the flags 'zz' are none of r, r+, w, w+, wx, wx+, a, a+, ax, ax+, open 'a'",
    ],
    [
      'fs.watch("a")',
      "fs.watch was called. It isn't available in this sandbox: await what changes the file, and compare fs.statSync before and after",
    ],
    ['fs.readFileSync("")', "ENOENT: no such file or directory, open ''"],
    [
      'fs.readFile("a")',
      'The "cb" argument must be of type function: use fs.promises.readFile or fs.readFileSync without one.',
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
    await repl.run('fs.writeFileSync("a", "")');
    const quiet = (name: string) =>
      repl.value(`try { fs.${name}("a/x", { throwIfNoEntry: false }) } catch ({ code }) { code }`);
    expect([await quiet('statSync'), await quiet('lstatSync')]).toEqual([undefined, "'ENOTDIR'"]);
  });

  it('takes modes as stat gives them, and times before 1970', async () => {
    const repl = await openRepl({ run: '', 'dir/x': '' });
    expect(
      await repl.value(`
        const mode = (path) => fs.statSync(path).mode.toString(8);
        fs.chmodSync('run', fs.statSync('run').mode | 0o111);
        fs.writeFileSync('copy', '', { mode: fs.statSync('run').mode });
        fs.mkdirSync('a', { mode: fs.statSync('dir').mode & 0o100700 });
        fs.mkdirSync('b', 0o700); fs.mkdirSync('c/d', { recursive: true, mode: '711' });
        ['run', 'copy', 'a', 'b', 'c/d'].map(mode).join()`),
    ).toBe("'100755,100755,40700,40700,40711'");
    expect(
      await repl.value(`
        const seen = [new Date(-5000), '-4', -3, 0].map((time) => {
          fs.utimesSync('run', time, time);
          return fs.statSync('run').mtimeMs;
        });
        seen[2] = seen[2] > 0; seen`),
    ).toBe('[ -5000, -4000, true, 0 ]');
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

describe('open files', () => {
  it('are read and written in parts, by descriptors', async () => {
    const repl = await openRepl({ 'a.txt': 'hello' });
    expect(
      await repl.value(`
        const fd = fs.openSync('a.txt', 'r+'); const part = Buffer.alloc(3);
        const seen = [fd, fs.readSync(fd, part, 0, 3, null), part.toString(), fs.readSync(fd, part), part.toString(),
          fs.readSync(fd, part, { position: 1 }), part.toString(), fs.writeSync(fd, 'XY', 0), fs.writeSync(fd, Buffer.from('Z')), fs.fstatSync(fd).size];
        fs.ftruncateSync(fd, 4); fs.closeSync(fd);
        const more = fs.openSync('a.txt', 'a+'); fs.writeSync(more, '!', 0); fs.appendFileSync(more, '?');
        seen.push(fs.readFileSync('a.txt', 'utf8'), fs.readFileSync(fs.openSync('a.txt')).length); fs.closeSync(more);
        seen.push(await new Promise((done) => fs.open('a.txt', 'r', (error, opened) => fs.read(opened, part, 0, 2, 1, (failed, count) => fs.close(opened, () => done([error, count]))))));
        seen.join()`),
    ).toBe("'3,3,hel,2,lol,3,ell,2,1,6,XYll!?,6,,2'");
  });

  it('are handles of fs.promises too', async () => {
    const repl = await openRepl({ 'a.txt': 'l1\nl2\r\nl3\n' });
    expect(
      await repl.value(`
        const handle = await fs.promises.open('a.txt', 'r+'); const lines = [];
        for await (const line of handle.readLines()) lines.push(line);
        const { bytesRead, buffer } = await handle.read(Buffer.alloc(2), 0, 2, 0);
        const { bytesWritten } = await handle.write('XX', 0);
        await handle.truncate(4);
        const size = (await handle.stat()).size; await handle.close(); await handle.close();
        [lines, bytesRead, buffer.toString(), bytesWritten, size, fs.readFileSync('a.txt', 'utf8'), await handle.stat().catch((error) => error.code)]`),
    ).toBe("[ [ 'l1', 'l2', 'l3' ], 2, 'l1', 2, 4, 'XX\\nl', 'EBADF' ]");
  });

  it('outlive their cell, and are as they were after one that failed', async () => {
    const repl = await openRepl({ 'a.txt': 'abcdef' });
    await repl.run(
      "const fd = fs.openSync('a.txt'); const part = Buffer.alloc(2); fs.readSync(fd, part)",
    );
    await repl.run('fs.readSync(fd, part); throw new Error("no")');
    expect(await repl.value('fs.readSync(fd, part); part.toString()')).toBe("'cd'");
  });

  it.each([
    ["fs.writeSync(fs.openSync('a'), 'x')", 'EBADF'],
    ["fs.readSync(fs.openSync('a', 'a'), Buffer.alloc(1))", 'EBADF'],
    ["fs.openSync('none')", 'ENOENT'],
    ["fs.openSync('a', 'wx')", 'EEXIST'],
    ['fs.closeSync(3)', 'EBADF'],
    ["fs.readSync('3', Buffer.alloc(1))", 'ERR_INVALID_ARG_TYPE'],
    ["fs.readSync(fs.openSync('a'), Buffer.alloc(1), 2, 1)", 'ERR_OUT_OF_RANGE'],
  ])('fail as in Node: %s', async (code, errorCode) => {
    const repl = await openRepl({ a: 'x' });
    expect(
      await repl.value(`let code; try { ${code} } catch (error) { code = error.code } code`),
    ).toBe(`'${errorCode}'`);
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

describe("readlink of a cell's fs", () => {
  it.each([
    ['fs.readlinkSync("l", { encoding: "buffer" })', '<Buffer 61>'],
    ['fs.readlinkSync("l", "buffer")', '<Buffer 61>'],
    ['await fs.promises.readlink("l", { encoding: "hex" })', "'61'"],
    ['fs.readlinkSync("l", "utf8")', "'a'"],
    ['fs.readlinkSync("l")', "'a'"],
  ])('gives the form that is asked for: %s', async (code, expected) => {
    const repl = await openRepl();
    expect(await repl.value(`fs.symlinkSync("a", "l"); ${code}`)).toBe(expected);
  });

  it.each([
    ['ctime ctimeMs atime birthtime dev ino uid gid', 'fs.statSync("a")'],
    ['ctimeNs ctimeMs birthtimeNs dev ino uid gid', 'fs.lstatSync("a", { bigint: true })'],
  ])('stats have %s', async (keys, stat) => {
    const repl = await openRepl({ a: 'x' });
    const list = JSON.stringify(keys.split(' '));
    expect(
      await repl.value(`const s = ${stat}; ${list}.filter((key) => s[key] === undefined)`),
    ).toBe('[]');
  });

  it('stats tell files apart, as packages do before they copy', async () => {
    const repl = await openRepl({ 'd/a': 'x', b: 'x' });
    const code = `fs.symlinkSync('d/a', 'l'); fs.symlinkSync('d', 'k');
      const of = (name) => fs.statSync(name).ino;
      [of('b') === of('d/a'), of('/work/d/../b') === of('b'), of('l') === of('d/a'), of('k/a') === of('d/a'),
        fs.lstatSync('l').ino === of('l'), fs.statSync('b', { bigint: true }).ino === BigInt(of('b'))]`;
    expect((await repl.run(code)).value).toEqual([false, true, true, true, false, true]);
  });
});
