// What every FileSystem promises, as suites over an adapter. The first is Node's own behaviour, and
// runs on Node's fs too; the second is what this port adds to it.
import { beforeEach, describe, expect, it } from 'vitest';
import { SdkError } from '../../src/core/errors.ts';
import type { FileSystem } from '../../src/workspace/files/file-system.ts';
import { describeFileHandles } from './file-handle.contract.ts';
import { describeFileOptions } from './file-options.contract.ts';
import { describeFilePaths } from './file-paths.contract.ts';
import {
  codeOf,
  type ContractLimits,
  type FileSystemSubject,
  type NodeHalf,
} from './file-system-subject.ts';
import { describeWatching } from './watch.contract.ts';

export { codeOf };

export function describeNodeFileSystem(
  name: string,
  open: () => Promise<FileSystemSubject<NodeHalf>>,
  limits: ContractLimits = {},
): void {
  describeFileHandles(name, open);
  describeFileOptions(name, open, limits);
  describeFilePaths(name, open);
  describeWatching(name, open);

  describe(`${name}: files as in Node`, () => {
    let fs: NodeHalf;
    let root: string;
    const at = (path: string) => `${root}/${path}`;

    beforeEach(async () => {
      ({ fs, root } = await open());
      await fs.mkdir(at('dir/sub'), { recursive: true });
      await fs.writeFile(at('dir/file'), 'content');
      await fs.symlink('dir/file', at('link'));
      await fs.symlink('nowhere', at('dangling'));
      await fs.symlink('loop-b', at('loop-a'));
      await fs.symlink('loop-a', at('loop-b'));
      await fs.mkdir(at('empty'));
    });

    it('reads back what was written, as text and as bytes', async () => {
      await fs.writeFile(at('text'), 'grün 🌱');
      await fs.writeFile(at('bytes'), new Uint8Array([0, 255, 7]));
      expect(await fs.readFile(at('text'), 'utf8')).toBe('grün 🌱');
      expect(await fs.readFile(at('text'), { encoding: 'utf-8' })).toBe('grün 🌱');
      expect([...(await fs.readFile(at('bytes')))]).toEqual([0, 255, 7]);
    });

    it('keeps what was written apart from the buffers that callers hold', async () => {
      const bytes = new Uint8Array([1, 2, 3]);
      await fs.writeFile(at('own'), bytes);
      bytes[0] = 9;
      const read = await fs.readFile(at('own'));
      read[1] = 9;
      expect([...(await fs.readFile(at('own')))]).toEqual([1, 2, 3]);
    });

    it('appends, making the file where there is none', async () => {
      await fs.appendFile(at('log'), 'a');
      await fs.appendFile(at('log'), new Uint8Array([98]));
      expect(await fs.readFile(at('log'), 'utf8')).toBe('ab');
    });

    it('cuts a file and fills it with zeros', async () => {
      await fs.truncate(at('dir/file'), 3);
      await fs.truncate(at('dir/file'), 5);
      expect([...(await fs.readFile(at('dir/file')))]).toEqual([99, 111, 110, 0, 0]);
      await fs.truncate(at('dir/file'));
      expect((await fs.stat(at('dir/file'))).size).toBe(0);
    });

    it('tells what a path is, through a link and not', async () => {
      const kinds = async (path: string) => {
        const [stat, lstat] = [await fs.stat(at(path)), await fs.lstat(at(path))];
        return [stat, lstat].map((stats) =>
          stats.isFile()
            ? 'file'
            : stats.isDirectory()
              ? 'directory'
              : stats.isSymbolicLink() && 'link',
        );
      };
      expect(await kinds('dir')).toEqual(['directory', 'directory']);
      expect(await kinds('dir/file')).toEqual(['file', 'file']);
      expect(await kinds('link')).toEqual(['file', 'link']);
    });

    it('lists names, entries, and both recursively', async () => {
      await fs.writeFile(at('dir/sub/deep'), '');
      expect((await fs.readdir(at('dir'))).sort()).toEqual(['file', 'sub']);
      expect((await fs.readdir(at('dir'), { recursive: true })).sort()).toEqual([
        'file',
        'sub',
        'sub/deep',
      ]);
      const entries = await fs.readdir(at('dir'), { recursive: true, withFileTypes: true });
      const shown = entries.map(
        (entry) => `${entry.parentPath}|${entry.name}|${entry.isDirectory()}|${entry.isFile()}`,
      );
      expect(shown.sort()).toEqual([
        `${at('dir/sub')}|deep|false|true`,
        `${at('dir')}|file|false|true`,
        `${at('dir')}|sub|true|false`,
      ]);
    });

    it('makes directories, and with recursive returns the first one made', async () => {
      expect(await fs.mkdir(at('new'))).toBeUndefined();
      expect(await fs.mkdir(at('a/b/c'), { recursive: true })).toBe(at('a'));
      expect(await fs.mkdir(at('a/b'), { recursive: true })).toBeUndefined();
      expect(await fs.mkdir(at('a/b/d/e'), { recursive: true })).toBe(at('a/b/d'));
    });

    it('makes temporary directories that are all different', async () => {
      const [first, second] = [await fs.mkdtemp(at('tmp-')), await fs.mkdtemp(at('tmp-'))];
      expect(first).not.toBe(second);
      expect(first.slice(0, -6)).toBe(at('tmp-'));
      expect((await fs.stat(first)).isDirectory()).toBe(true);
    });

    it('renames files and whole directories, replacing a file', async () => {
      await fs.writeFile(at('dir/sub/deep'), 'deep');
      await fs.rename(at('dir'), at('moved'));
      expect(await fs.readFile(at('moved/sub/deep'), 'utf8')).toBe('deep');
      expect(await codeOf(fs.stat(at('dir')))).toBe('ENOENT');
      await fs.rename(at('moved/sub/deep'), at('moved/file'));
      expect(await fs.readFile(at('moved/file'), 'utf8')).toBe('deep');
      await fs.rename(at('moved'), at('empty'));
      expect((await fs.readdir(at('empty'))).sort()).toEqual(['file', 'sub']);
    });

    it('renames a link, not what it points to', async () => {
      await fs.rename(at('link'), at('renamed'));
      expect(await fs.readlink(at('renamed'))).toBe('dir/file');
      expect(await fs.readFile(at('dir/file'), 'utf8')).toBe('content');
    });

    it('copies files with their mode, and trees with their links', async () => {
      await fs.chmod(at('dir/file'), 0o755);
      await fs.symlink('file', at('dir/inner'));
      await fs.copyFile(at('dir/file'), at('copy'));
      await fs.cp(at('dir'), at('far/tree'), { recursive: true });
      await fs.writeFile(at('dir/file'), 'changed');
      expect(await fs.readFile(at('copy'), 'utf8')).toBe('content');
      expect((await fs.stat(at('copy'))).mode & 0o777).toBe(0o755);
      expect(await fs.readFile(at('far/tree/file'), 'utf8')).toBe('content');
      expect((await fs.lstat(at('far/tree/inner'))).isSymbolicLink()).toBe(true);
    });

    it('removes files, links, empty directories and trees', async () => {
      await fs.unlink(at('link'));
      await fs.rmdir(at('empty'));
      await fs.rm(at('dangling'));
      await fs.rm(at('dir'), { recursive: true });
      await fs.rm(at('never/was'), { force: true });
      expect((await fs.readdir(root)).sort()).toEqual(['loop-a', 'loop-b']);
    });

    it('follows links wherever they stand in a path, and writes through them', async () => {
      await fs.symlink(at('dir'), at('absolute'));
      await fs.symlink('../dir', at('dir/up'));
      await fs.writeFile(at('link'), 'through');
      await fs.writeFile(at('dangling'), 'made');
      expect(await fs.readFile(at('absolute/up/file'), 'utf8')).toBe('through');
      expect(await fs.realpath(at('absolute/up/../dir/file'))).toBe(at('dir/file'));
      expect(await fs.readFile(at('nowhere'), 'utf8')).toBe('made');
      expect(await fs.readlink(at('dir/up'))).toBe('../dir');
    });

    it('keeps modes and times', async () => {
      await fs.chmod(at('dir/file'), 0o600);
      await fs.utimes(at('dir/file'), 1, 1_700_000_000.5);
      await fs.utimes(at('dir'), new Date(0), new Date(86_400_000));
      const file = await fs.stat(at('dir/file'));
      expect([file.mode, file.mtimeMs, file.mtime.toISOString()]).toEqual([
        0o100600,
        1_700_000_000_500,
        '2023-11-14T22:13:20.500Z',
      ]);
      expect((await fs.stat(at('dir'))).mtimeMs).toBe(86_400_000);
    });

    const failures: readonly [code: string, what: string, run: () => Promise<unknown>][] = [
      ['ENOENT', 'reading what is not there', () => fs.readFile(at('missing'))],
      ['ENOENT', 'reading through a dangling link', () => fs.readFile(at('dangling'))],
      ['ENOENT', 'writing below what is not there', () => fs.writeFile(at('no/file'), '')],
      ['ENOENT', 'an empty path', () => fs.stat('')],
      ['ENOENT', 'mkdir below what is not there', () => fs.mkdir(at('no/dir'))],
      ['ENOENT', 'renaming what is not there', () => fs.rename(at('no'), at('yes'))],
      ['ENOENT', 'removing what is not there', () => fs.rm(at('no'))],
      ['ENOENT', 'unlinking what is not there', () => fs.unlink(at('no'))],
      ['ENOENT', 'access to what is not there', () => fs.access(at('no'))],
      ['ENOTDIR', 'a file as a directory', () => fs.readFile(at('dir/file/x'))],
      ['ENOTDIR', 'a file with a slash behind it', () => fs.stat(at('dir/file/'))],
      ['ENOTDIR', 'listing a file', () => fs.readdir(at('dir/file'))],
      ['ENOTDIR', 'rmdir of a file', () => fs.rmdir(at('dir/file'))],
      ['ENOTDIR', 'mkdir below a file', () => fs.mkdir(at('dir/file/x'), { recursive: true })],
      ['ENOTDIR', 'a directory over a file', () => fs.rename(at('empty'), at('dir/file'))],
      ['EISDIR', 'reading a directory', () => fs.readFile(at('dir'))],
      ['EISDIR', 'writing a directory', () => fs.writeFile(at('dir'), '')],
      ['EISDIR', 'a file over a directory', () => fs.rename(at('dir/file'), at('empty'))],
      ['EISDIR', 'rm of a directory', () => fs.rm(at('dir'))],
      ['EISDIR', 'cp of a directory', () => fs.cp(at('dir'), at('copy'))],
      ['EISDIR', 'unlink of a directory', () => fs.unlink(at('empty'))],
      ['EEXIST', 'mkdir where something is', () => fs.mkdir(at('dir/file'))],
      ['EEXIST', 'mkdir over a link', () => fs.mkdir(at('dangling'))],
      ['EEXIST', 'mkdir -p over a file', () => fs.mkdir(at('dir/file'), { recursive: true })],
      ['EEXIST', 'a link where something is', () => fs.symlink('x', at('dir'))],
      ['ENOTEMPTY', 'rmdir of what holds something', () => fs.rmdir(at('dir'))],
      ['ENOTEMPTY', 'renaming onto what holds something', () => fs.rename(at('empty'), at('dir'))],
      ['EINVAL', 'moving into itself', () => fs.rename(at('dir'), at('dir/sub/dir'))],
      ['EINVAL', 'copying into itself', () => fs.cp(at('dir'), at('dir/x'), { recursive: true })],
      ['EINVAL', 'readlink of a file', () => fs.readlink(at('dir/file'))],
      ['ELOOP', 'links in a circle', () => fs.stat(at('loop-a'))],
      ['ENAMETOOLONG', 'a name of 256 characters', () => fs.writeFile(at('x'.repeat(256)), '')],
      ['ENAMETOOLONG', 'a path of 4 096 characters', () => fs.stat(`/${'x/'.repeat(2048)}`)],
    ];
    it.each(failures)('fails with %s for %s, and changes nothing', async (code, _what, run) => {
      const before = await fs.readdir(root, { recursive: true });
      expect(await codeOf(run())).toBe(code);
      expect(await fs.readdir(root, { recursive: true })).toEqual(before);
      expect(await fs.readFile(at('dir/file'), 'utf8')).toBe('content');
    });
  });
}

export function describeFileSystem(
  name: string,
  open: () => Promise<FileSystemSubject>,
  limits: ContractLimits = {},
): void {
  describeNodeFileSystem(name, open, limits);

  describe(`${name}: what the port adds`, () => {
    let fs: FileSystem;
    let root: string;
    const at = (path: string) => `${root}/${path}`;

    beforeEach(async () => {
      ({ fs, root } = await open());
    });

    it('fails with an SdkError that carries the call and the path', async () => {
      const error = await fs.readFile(at('missing')).catch((thrown: unknown) => thrown);
      if (!SdkError.isInstance(error)) throw new TypeError('Not an SdkError.');
      expect([error.code, error.message, error.data]).toEqual([
        'ENOENT',
        `ENOENT: no such file or directory, open '${at('missing')}'`,
        { syscall: 'open', path: at('missing') },
      ]);
    });

    it('refuses a name that is no text', async () => {
      expect(await codeOf(fs.writeFile(at('a\ud800'), ''))).toBe('ERR_INVALID_ARG_VALUE');
      expect(await fs.readdir(root)).toEqual([]);
    });

    it.each([
      ['a URL', new URL('file:///a')],
      ['bytes', new Uint8Array([47])],
      ['a descriptor', 3],
      ['nothing', undefined],
    ])('refuses %s as a path, and says what to pass', async (_what, path) => {
      const error: unknown = await fs
        .stat(path as unknown as string)
        .catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'ERR_INVALID_ARG_TYPE' });
      expect(String(error)).toContain('a path is a string here');
    });

    it('refuses the options of Node that it lacks, and says what to do instead', async () => {
      await fs.writeFile(at('file'), '');
      const { signal } = new AbortController();
      // The casts: what a program without types can pass.
      const refused = [
        fs.readFile(at('file'), { signal } as unknown as null),
        fs.writeFile(at('file'), 'x', { signal } as object),
        fs.cp(at('file'), at('copy'), { mode: 1 } as object),
        fs.readdir(root, 'hex'),
        fs.readlink(at('file'), { encoding: 'buffer' } as object),
        fs.watch(root, { maxQueue: 5 } as object).next(),
      ];
      expect(await Promise.all(refused.map(codeOf))).toEqual(refused.map(() => 'EINVAL'));
      expect((await fs.stat(at('file'))).size).toBe(0);
    });

    it('refuses a file that would be too large before it has one', async () => {
      await fs.writeFile(at('file'), 'content');
      const handle = await fs.open(at('file'), 'r+');
      expect([
        await codeOf(fs.truncate(at('file'), 2 ** 31)),
        await codeOf(fs.writePart(at('file'), 2 ** 31, 'x')),
        await codeOf(handle.write('x', 2 ** 40)),
        await codeOf(handle.truncate(2 ** 31)),
      ]).toEqual(['EFBIG', 'EFBIG', 'EFBIG', 'EFBIG']);
      expect(await fs.readFile(at('file'), 'utf8')).toBe('content');
    });

    it('refuses places before the beginning', async () => {
      await fs.writeFile(at('file'), 'content');
      const handle = await fs.open(at('file'), 'r+');
      expect([
        await codeOf(fs.truncate(at('file'), -1)),
        await codeOf(fs.readPart(at('file'), -1)),
        await codeOf(fs.writePart(at('file'), -1, 'x')),
        await codeOf(handle.write('x', -2)),
      ]).toEqual(Array.from({ length: 4 }, () => 'ERR_OUT_OF_RANGE'));
      expect(await fs.readFile(at('file'), 'utf8')).toBe('content');
    });

    it('links by a copy: what is written to one path later is not seen at the other', async () => {
      await fs.writeFile(at('first'), 'same');
      await fs.link(at('first'), at('second'));
      await fs.writeFile(at('first'), 'new');
      await fs.appendFile(at('second'), ' still');
      expect(await fs.readFile(at('first'), 'utf8')).toBe('new');
      expect(await fs.readFile(at('second'), 'utf8')).toBe('same still');
    });

    it('opens a path, not a file: a handle ends with its path and takes what comes there', async () => {
      await fs.writeFile(at('file'), 'old');
      await fs.symlink('file', at('link'));
      const handle = await fs.open(at('link'), 'r+');
      expect(handle.path).toBe(at('file'));
      await fs.rename(at('file'), at('moved'));
      expect(await codeOf(handle.write('x'))).toBe('ENOENT');
      expect(await codeOf(handle.read(new Uint8Array(1)))).toBe('ENOENT');
      await fs.writeFile(at('file'), 'another');
      await handle.write('A');
      expect(await fs.readFile(at('file'), 'utf8')).toBe('Another');
      expect(await fs.readFile(at('moved'), 'utf8')).toBe('old');
    });

    it('opens, reads and writes parts without a handle', async () => {
      await fs.symlink('file', at('link'));
      expect(await codeOf(fs.writePart(at('link'), 0, 'x'))).toBe('ENOENT');
      expect(await fs.openPath(at('link'), 'a', 0o600)).toBe(at('file'));
      expect((await fs.stat(at('file'))).mode & 0o777).toBe(0o600);
      expect(await fs.writePart(at('file'), 2, new Uint8Array([97, 98]))).toBe(4);
      expect(await fs.writePart(at('file'), 'end', 'c')).toBe(5);
      expect(await fs.writePart(at('file'), 9, '')).toBe(9);
      const parts = [
        await fs.readPart(at('file'), 1, 2),
        await fs.readPart(at('file'), 3),
        await fs.readPart(at('file'), 9),
      ];
      expect(parts.map((part) => [...part])).toEqual([[0, 97], [98, 99], []]);
    });

    it('leaves a file as it is where nothing is written to it', async () => {
      await fs.writeFile(at('file'), 'content');
      await fs.utimes(at('file'), 1, 2);
      const { version } = await fs.stat(at('file'));
      await fs.appendFile(at('file'), '');
      await (await fs.open(at('file'), 'a')).close();
      await (await fs.open(at('file'), 'r+')).write('');
      const { mtimeMs, version: after } = await fs.stat(at('file'));
      expect([mtimeMs, after]).toEqual([2000, version]);
    });

    it('copies all of a tree or nothing', async () => {
      await fs.mkdir(at('from/sub'), { recursive: true });
      await fs.writeFile(at('from/a'), '');
      await fs.writeFile(at('from/sub/z'), '');
      await fs.mkdir(at('to/sub/z'), { recursive: true });
      expect(await codeOf(fs.cp(at('from'), at('to'), { recursive: true }))).toBe('EISDIR');
      expect(await fs.readdir(at('to'), { recursive: true })).toEqual(['sub', 'sub/z']);
    });

    it('reads many files in one go, in the order asked, errors in their places', async () => {
      await fs.writeFile(at('a'), 'A');
      await fs.mkdir(at('d'));
      const [b, a, d] = await fs.readMany([at('b'), at('a'), at('d')]);
      expect([b, a, d].map((one) => (one instanceof SdkError ? one.code : one))).toEqual([
        'ENOENT',
        new Uint8Array([65]),
        'EISDIR',
      ]);
      const [none, text] = await fs.readMany([at('b'), at('a')], 'utf8');
      expect([none instanceof SdkError ? none.code : none, text]).toEqual(['ENOENT', 'A']);
    });

    it('reads many files as text as it reads one, and refuses an encoding that is none', async () => {
      const bytes = new Uint8Array([0xef, 0xbb, 0xbf, 0xc3, 0xa4, 0xff]);
      await fs.writeFile(at('odd'), bytes);
      for (const encoding of ['utf8', 'latin1', 'hex', 'base64'] as const) {
        const one = await fs.readFile(at('odd'), encoding);
        expect(await fs.readMany([at('odd')], encoding)).toEqual([one]);
      }
      expect(await fs.readMany([at('odd')], null)).toEqual([bytes]);
      const none = ['utf9', { encoding: 'utf8' }] as unknown as 'utf8'[];
      for (const encoding of none) {
        const code = await codeOf(fs.readMany([at('odd')], encoding));
        expect(code).toBe('ERR_INVALID_ARG_VALUE');
      }
    });

    it('lists names and walks by the order of their UTF-8 bytes, directories with their files', async () => {
      // U+1F600 stands before U+FF5E in UTF-16, and after it in UTF-8.
      for (const file of ['b', 'a.b', 'Z', '\u{1f600}', '\uff5e']) await fs.writeFile(at(file), '');
      await fs.mkdir(at('a'));
      await fs.writeFile(at('a/z'), '');
      expect(await fs.readdir(root)).toEqual(['Z', 'a', 'a.b', 'b', '\uff5e', '\u{1f600}']);
      const walked = (await fs.walk(root)).map(({ path }) => path.slice(root.length + 1));
      expect(walked).toEqual(['Z', 'a/z', 'a.b', 'b', '\uff5e', '\u{1f600}']);
    });

    it('walks files and links, without following, without hidden and ignored ones', async () => {
      await fs.mkdir(at('src'));
      await fs.writeFile(at('src/a.ts'), 'aa');
      await fs.writeFile(at('.hidden'), '');
      await fs.writeFile(at('out.log'), '');
      await fs.writeFile(at('.gitignore'), '*.log\n');
      await fs.symlink('src', at('to-src'));
      const shown = (entries: Awaited<ReturnType<FileSystem['walk']>>) =>
        entries.map(({ path, type, size }) => `${path.slice(root.length + 1)} ${type} ${size}`);
      expect(shown(await fs.walk(root))).toEqual(['src/a.ts file 2', 'to-src symlink 3']);
      expect(shown(await fs.walk(root, { includeHidden: true, respectIgnore: false }))).toEqual([
        '.gitignore file 6',
        '.hidden file 0',
        'out.log file 0',
        'src/a.ts file 2',
        'to-src symlink 3',
      ]);
      expect(await codeOf(fs.walk(at('out.log')))).toBe('ENOTDIR');
    });
  });
}
