// What every `open` promises: Node's handles, flags and positions. Runs on Node's fs too.
import { beforeEach, describe, expect, it } from 'vitest';
import type { FileHandle } from '../../src/workspace/files/file-system.ts';
import { codeOf, type FileSystemSubject, type NodeHalf } from './file-system-subject.ts';

const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const encode = (text: string) => new TextEncoder().encode(text);

/** What a flag does: to a file that is there, to one that isn't, and what the handle then may. */
const flags: readonly [
  flag: string,
  there: string | undefined,
  missing: string | undefined,
  may: string,
][] = [
  ['r', 'content', 'ENOENT', 'read'],
  ['r+', 'content', 'ENOENT', 'read write'],
  ['rs+', 'content', 'ENOENT', 'read write'],
  ['w', '', undefined, 'write'],
  ['w+', '', undefined, 'read write'],
  ['wx', 'EEXIST', undefined, 'write'],
  ['wx+', 'EEXIST', undefined, 'read write'],
  ['xw', 'EEXIST', undefined, 'write'],
  ['a', 'content', undefined, 'write'],
  ['a+', 'content', undefined, 'read write'],
  ['as', 'content', undefined, 'write'],
  ['ax', 'EEXIST', undefined, 'write'],
  ['ax+', 'EEXIST', undefined, 'read write'],
];

export function describeFileHandles(
  name: string,
  open: () => Promise<FileSystemSubject<NodeHalf>>,
): void {
  describe(`${name}: open files as in Node`, () => {
    let fs: NodeHalf;
    let root: string;
    const at = (path: string) => `${root}/${path}`;
    const text = (path: string) => fs.readFile(at(path), 'utf8');

    /** Closes whatever happens: Node warns of handles that are collected. */
    async function using<Result>(
      path: string,
      flag: string,
      work: (handle: FileHandle) => Promise<Result>,
    ): Promise<Result> {
      const handle = await fs.open(at(path), flag as 'r');
      try {
        return await work(handle);
      } finally {
        await handle.close();
      }
    }

    beforeEach(async () => {
      ({ fs, root } = await open());
      await fs.writeFile(at('file'), 'content');
      await fs.mkdir(at('dir'));
      await fs.symlink('nowhere', at('dangling'));
    });

    it.each(flags)('opens with %s', async (flag, there, missing, may) => {
      const tried = async (path: string) => {
        const code = await codeOf(using(path, flag, async () => {}));
        return code ?? text(path);
      };
      expect(await tried('file')).toBe(there);
      expect(await tried('missing')).toBe(missing ?? '');
      const path = missing === undefined ? 'other' : 'file';
      const allowed = await using(path, flag, async (handle) => [
        (await codeOf(handle.read(new Uint8Array(1)))) ?? 'read',
        (await codeOf(handle.write('x'))) ?? 'write',
      ]);
      expect(allowed.filter((each) => each !== 'EBADF').join(' ')).toBe(may);
    });

    it('takes the sum of flags, and null and nothing for reading', async () => {
      const [wronly, creat, excl] = [1, 0o100, 0o200];
      const handle = await fs.open(at('made'), wronly | creat | excl);
      await handle.writeFile('x');
      await handle.close();
      expect(await codeOf(fs.open(at('made'), wronly | creat | excl))).toBe('EEXIST');
      for (const reading of [await fs.open(at('made'), null), await fs.open(at('made'))]) {
        expect(await reading.readFile('utf8')).toBe('x');
        await reading.close();
      }
    });

    it('reads from where it stands, and from positions without moving', async () => {
      await using('file', 'r', async (handle) => {
        const buffer = new Uint8Array(3);
        const first = await handle.read(buffer);
        expect([first.bytesRead, first.buffer === buffer, decode(buffer)]).toEqual([
          3,
          true,
          'con',
        ]);
        expect((await handle.read(buffer, 1, 2, 5)).bytesRead).toBe(2);
        expect(decode(buffer)).toBe('cnt');
        expect((await handle.read(buffer, { offset: 2, length: 1, position: 0n })).bytesRead).toBe(
          1,
        );
        expect(decode(buffer)).toBe('cnc');
        const whole = new Uint8Array(8);
        expect((await handle.read({ buffer: whole, position: null })).bytesRead).toBe(4);
        expect(decode(whole)).toBe('tent\0\0\0\0');
        expect((await handle.read(whole)).bytesRead).toBe(0);
        expect((await handle.read(whole, 0, 8, 100)).bytesRead).toBe(0);
      });
    });

    it('reads into a new buffer, and into the part of one that a view shows', async () => {
      await using('file', 'r', async (handle) => {
        const read = await handle.read();
        expect([read.bytesRead, read.buffer.byteLength]).toEqual([7, 16_384]);
        const memory = new Uint8Array(6);
        await handle.read(new DataView(memory.buffer, 2, 2), 0, 2, 0);
        expect([...memory]).toEqual([0, 0, 99, 111, 0, 0]);
      });
    });

    it('writes where it stands, at positions without moving, and fills a gap with zeros', async () => {
      await using('file', 'r+', async (handle) => {
        const written = await handle.write('CO');
        expect([written.bytesWritten, written.buffer]).toEqual([2, 'CO']);
        await handle.write(encode('--NT--'), 2, 2, 5);
        await handle.write(encode('xN'), { offset: 1 });
        await handle.write('74', 3, 'hex');
        await handle.write(new Uint8Array([33]), 0, 1, 9);
        expect(await text('file')).toBe('CONteNT\0\0!');
        expect((await handle.stat()).size).toBe(10);
      });
    });

    it('appends whatever the position, and goes on from the end', async () => {
      await using('file', 'a+', async (handle) => {
        await handle.write('1', 0);
        await handle.write('2');
        await handle.appendFile('3');
        expect((await handle.read(new Uint8Array(9))).bytesRead).toBe(0);
        const buffer = new Uint8Array(10);
        await handle.read(buffer, 0, 10, 0);
        expect(decode(buffer)).toBe('content123');
      });
    });

    it('reads and writes whole files from where it stands', async () => {
      await using('file', 'r+', async (handle) => {
        await handle.read(new Uint8Array(3));
        expect(await handle.readFile({ encoding: 'utf8' })).toBe('tent');
        expect([...(await handle.readFile())]).toEqual([]);
        await handle.writeFile('6d6f7265', 'hex');
        await handle.writeFile(encode('!'));
      });
      expect(await text('file')).toBe('contentmore!');
      await using('file', 'r+', (handle) => handle.writeFile('C'));
      expect(await text('file')).toBe('Contentmore!');
    });

    it('cuts, changes mode and time, and syncs', async () => {
      await using('file', 'r+', async (handle) => {
        await handle.truncate(3);
        await handle.chmod(0o600);
        await handle.sync();
        await handle.datasync();
        await handle.utimes(1, 1_700_000_000);
        const { size, mode, mtimeMs } = await handle.stat();
        expect([size, mode, mtimeMs]).toEqual([3, 0o100600, 1_700_000_000_000]);
        await handle.truncate();
      });
      expect(await text('file')).toBe('');
    });

    it('shows what others write, and shows them what it writes', async () => {
      await using('file', 'r+', async (first) => {
        await using('file', 'r+', (second) => second.write('K'));
        expect(await first.readFile('utf8')).toBe('Kontent');
        await first.write('s');
        expect(await text('file')).toBe('Kontents');
      });
    });

    // Node's own handles give such calls to threads, and no order.
    it.skipIf(name === "Node's fs")(
      'runs what is not awaited in the order of the calls',
      async () => {
        await using('file', 'w', async (handle) => {
          await Promise.all(['a', 'b', 'c', 'd'].map((each) => handle.appendFile(each)));
        });
        expect(await text('file')).toBe('abcd');
      },
    );

    it('does nothing once it is closed, but closes again', async () => {
      const handle = await fs.open(at('file'), 'r+');
      await handle[Symbol.asyncDispose]();
      await handle.close();
      const codes = await Promise.all([
        codeOf(handle.read(new Uint8Array(1))),
        codeOf(handle.readFile()),
        codeOf(handle.write('x')),
        codeOf(handle.writeFile('x')),
        codeOf(handle.appendFile('x')),
        codeOf(handle.stat()),
        codeOf(handle.truncate()),
        codeOf(handle.sync()),
        codeOf(handle.datasync()),
        codeOf(handle.chmod(0o600)),
        codeOf(handle.utimes(1, 1)),
      ]);
      expect(codes).toEqual(codes.map(() => 'EBADF'));
      expect(await text('file')).toBe('content');
    });

    it('opens a directory for looking at it', async () => {
      await using('dir', 'r', async (handle) => {
        expect((await handle.stat()).isDirectory()).toBe(true);
        await handle.sync();
        expect(await codeOf(handle.read(new Uint8Array(1)))).toBe('EISDIR');
        expect(await codeOf(handle.readFile())).toBe('EISDIR');
      });
    });

    it('gives a new file the mode that is asked for, and leaves an old one its own', async () => {
      await (await fs.open(at('new'), 'w', 0o640)).close();
      await (await fs.open(at('file'), 'w', '600')).close();
      expect((await fs.stat(at('new'))).mode & 0o777).toBe(0o640);
      expect((await fs.stat(at('file'))).mode & 0o777).toBe(0o644);
    });

    const three = () => new Uint8Array(3);
    // The casts below: what a program without types can pass.
    const misuses: readonly [
      code: string,
      what: string,
      run: (handle: FileHandle) => Promise<unknown>,
    ][] = [
      ['ERR_OUT_OF_RANGE', 'a negative position', (h) => h.read(three(), 0, 3, -2)],
      ['ERR_OUT_OF_RANGE', 'half a position', (h) => h.read(three(), 0, 3, 1.5)],
      ['ERR_INVALID_ARG_TYPE', 'a position in letters', (h) => h.read(three(), 0, 3, '1' as never)],
      ['ERR_OUT_OF_RANGE', 'an offset behind the buffer', (h) => h.read(three(), 4, 1, 0)],
      ['ERR_OUT_OF_RANGE', 'more than the buffer holds', (h) => h.read(three(), 1, 3, 0)],
      ['ERR_OUT_OF_RANGE', 'writing more than there is', (h) => h.write(three(), 1, 3)],
      ['ERR_INVALID_ARG_TYPE', 'a number as data', (h) => h.write(3 as never)],
      ['ERR_INVALID_ARG_TYPE', 'nothing as data', (h) => h.writeFile(null as never)],
      ['ERR_OUT_OF_RANGE', 'half a length', (h) => h.truncate(1.5)],
      ['ERR_INVALID_ARG_VALUE', 'an unknown encoding', (h) => h.readFile('klingon' as 'utf8')],
    ];
    it.each(misuses)('fails with %s for %s', async (code, _what, run) => {
      await using('file', 'r+', async (handle) => expect(await codeOf(run(handle))).toBe(code));
      expect(await text('file')).toBe('content');
    });

    const refusals: readonly [code: string, path: string, flag: unknown][] = [
      ['ENOENT', 'missing', 'r'],
      ['ENOENT', 'no/file', 'w'],
      ['ENOTDIR', 'file/x', 'r'],
      ['EISDIR', 'dir', 'r+'],
      ['EISDIR', 'dir', 'a'],
      ['EISDIR', 'missing/', 'w'],
      ['EEXIST', 'dangling', 'wx'],
      ['ERR_INVALID_ARG_VALUE', 'file', 'q'],
      ['ERR_INVALID_ARG_VALUE', 'file', 'r++'],
      ['ERR_INVALID_ARG_VALUE', 'file', 'constructor'],
    ];
    it.each(refusals)('refuses with %s to open %s with %s', async (code, path, flag) => {
      expect(await codeOf(using(path, flag as string, async () => {}))).toBe(code);
      expect((await fs.readdir(root)).sort()).toEqual(['dangling', 'dir', 'file']);
      expect(await text('file')).toBe('content');
    });

    it('refuses to cut a file that it only reads', async () => {
      await using('file', 'r', async (handle) => {
        expect(await codeOf(handle.truncate(1))).toBe('EINVAL');
      });
    });
  });
}
