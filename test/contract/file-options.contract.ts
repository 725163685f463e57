// What the options of file operations do: flags, modes, encodings, copies, links. Runs on Node's fs too.
import { beforeEach, describe, expect, it } from 'vitest';
import type { CopyOptions, Encoding } from '../../src/workspace/files/file-options.ts';
import {
  codeOf,
  type ContractLimits,
  type FileSystemSubject,
  type NodeHalf,
} from './file-system-subject.ts';

/** A text, the bytes that writing it makes, and what reading them shows if that is another text. */
const encodings: readonly [
  encoding: Encoding,
  text: string,
  bytes: readonly number[],
  read?: string,
][] = [
  ['utf8', 'ü🌱', [0xc3, 0xbc, 0xf0, 0x9f, 0x8c, 0xb1]],
  ['utf-8', '\ufeffa', [0xef, 0xbb, 0xbf, 97]],
  ['latin1', 'aü', [97, 0xfc]],
  ['binary', '🌱', [0x3c, 0x31], '<1'],
  ['ascii', 'aü', [97, 0xfc], 'a|'],
  ['utf16le', 'aü\ud800', [97, 0, 0xfc, 0, 0, 0xd8]],
  ['ucs2', '🌱', [0x3c, 0xd8, 0x31, 0xdf]],
  ['base64', '/+8AAA==', [255, 239, 0, 0]],
  ['base64', '_-8 AAA', [255, 239, 0, 0], '/+8AAA=='],
  ['base64url', '_-8AAA', [255, 239, 0, 0]],
  ['hex', '00ff7f', [0, 255, 127]],
  ['hex', 'FFxx00', [255], 'ff'],
  ['hex', 'abc', [0xab], 'ab'],
];

export function describeFileOptions(
  name: string,
  open: () => Promise<FileSystemSubject<NodeHalf>>,
  limits: ContractLimits,
): void {
  describe(`${name}: options as in Node`, () => {
    let fs: NodeHalf;
    let root: string;
    const at = (path: string) => `${root}/${path}`;
    const text = (path: string) => fs.readFile(at(path), 'utf8');
    const modeOf = async (path: string) => (await fs.stat(at(path))).mode & 0o7777;

    beforeEach(async () => {
      ({ fs, root } = await open());
      await fs.mkdir(at('dir'));
      await fs.writeFile(at('dir/file'), 'content');
      await fs.symlink('file', at('dir/link'));
    });

    // Their number, not their text, in the title: half a surrogate pair can't be reported everywhere.
    it.each(encodings)('writes and reads %s (%#)', async (encoding, given, bytes, read = given) => {
      await fs.writeFile(at('coded'), given, encoding);
      expect([...(await fs.readFile(at('coded')))]).toEqual(bytes);
      expect(await fs.readFile(at('coded'), { encoding })).toBe(read);
      expect(await fs.readFile(at('coded'), encoding.toUpperCase() as Encoding)).toBe(read);
      await fs.appendFile(at('coded'), given, { encoding });
      expect([...(await fs.readFile(at('coded')))]).toEqual([...bytes, ...bytes]);
    });

    it('writes the bytes that a view of any type shows', async () => {
      const memory = new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]);
      await fs.writeFile(at('view'), new DataView(memory.buffer, 1, 2));
      await fs.appendFile(at('view'), new Uint16Array(memory.buffer, 4, 1));
      expect([...(await fs.readFile(at('view')))]).toEqual([2, 3, 5, 6]);
    });

    it('writes with flags', async () => {
      await fs.writeFile(at('new'), 'made', { flag: 'wx' });
      await fs.writeFile(at('new'), 'M', { flag: 'r+' });
      await fs.writeFile(at('new'), '!', { flag: 'a' });
      expect(await text('new')).toBe('Made!');
      await fs.appendFile(at('new'), 'all', { flag: 'w' });
      expect(await text('new')).toBe('all');
      expect(await fs.readFile(at('never'), { encoding: 'utf8', flag: 'a+' })).toBe('');
      expect((await fs.stat(at('never'))).size).toBe(0);
    });

    it('gives what it makes the mode that is asked for, and leaves what is there its own', async () => {
      await fs.writeFile(at('one'), '', { mode: 0o600 });
      await fs.writeFile(at('one'), 'x', { mode: 0o755 });
      await fs.appendFile(at('two'), '', { mode: '755' });
      await fs.mkdir(at('three'), 0o700);
      await fs.mkdir(at('four/five'), { recursive: true, mode: 0o750 });
      const temporary = (await fs.mkdtemp(at('six-'))).slice(root.length + 1);
      const paths = ['one', 'two', 'three', 'four', 'four/five', temporary];
      expect(await Promise.all(paths.map(modeOf))).toEqual([
        0o600, 0o755, 0o700, 0o750, 0o750, 0o700,
      ]);
      await fs.chmod(at('one'), '711');
      expect(await modeOf('one')).toBe(0o711);
    });

    it('takes times in digits, and a link by itself', async () => {
      await fs.utimes(at('dir/file'), '5', '6');
      await fs.lutimes(at('dir/link'), 1, 2);
      expect((await fs.stat(at('dir/link'))).mtimeMs).toBe(6000);
      expect((await fs.lstat(at('dir/link'))).mtimeMs).toBe(2000);
    });

    it('answers to what may be done with a file', async () => {
      const [f, x, w, r] = [0, 1, 2, 4];
      await fs.access(at('dir/file'), f);
      await fs.access(at('dir/file'), r | w);
      await fs.access(at('dir'), x);
      expect(await codeOf(fs.access(at('dir/file'), x))).toBe('EACCES');
      await fs.chmod(at('dir/file'), 0o755);
      await fs.access(at('dir/file'), x | r);
      expect(await codeOf(fs.access(at('dir/file'), 8))).toBe('ERR_OUT_OF_RANGE');
    });

    it('links a file under a second name that outlives the first', async () => {
      await fs.chmod(at('dir/file'), 0o755);
      await fs.utimes(at('dir/file'), 1, 2);
      await fs.link(at('dir/file'), at('hard'));
      await fs.link(at('dir/link'), at('soft'));
      await fs.unlink(at('dir/file'));
      const { mode, mtimeMs } = await fs.stat(at('hard'));
      expect([await text('hard'), mode & 0o777, mtimeMs]).toEqual(['content', 0o755, 2000]);
      expect(await fs.readlink(at('soft'))).toBe('file');
    });

    it('takes a time before 1970, given in seconds, for now', async () => {
      await fs.utimes(at('dir/file'), 1, 2);
      await fs.utimes(at('dir/file'), -1, -1);
      // Some test clocks stand still, all of them later than 2001.
      expect((await fs.stat(at('dir/file'))).mtimeMs).toBeGreaterThan(1e12);
    });

    it('copies trees: modes, and links that lead where they led', async () => {
      await fs.chmod(at('dir'), 0o750);
      await fs.cp(at('dir'), at('copy'), { recursive: true });
      expect(await modeOf('copy')).toBe(0o750);
      expect(await fs.readlink(at('copy/link'))).toBe(at('dir/file'));
      await fs.cp(at('dir'), at('verbatim'), { recursive: true, verbatimSymlinks: true });
      expect(await fs.readlink(at('verbatim/link'))).toBe('file');
    });

    it('copies what links lead to where it is asked to', async () => {
      await fs.cp(at('dir'), at('copy'), { recursive: true, dereference: true });
      expect((await fs.lstat(at('copy/link'))).isFile()).toBe(true);
      expect(await text('copy/link')).toBe('content');
    });

    it('keeps what is there, or the times, where it is asked to', async () => {
      await fs.utimes(at('dir/file'), 1, 2);
      await fs.writeFile(at('there'), 'old');
      await fs.cp(at('dir/file'), at('there'), { force: false });
      expect(await text('there')).toBe('old');
      await fs.cp(at('dir/file'), at('there'), { preserveTimestamps: true });
      expect([await text('there'), (await fs.stat(at('there'))).mtimeMs]).toEqual([
        'content',
        2000,
      ]);
      await fs.cp(at('dir/file'), at('again'));
      expect((await fs.stat(at('again'))).mtimeMs).not.toBe(2000);
    });

    it('replaces a link by a link, and a link by a file', async () => {
      await fs.symlink('elsewhere', at('first'));
      await fs.symlink('elsewhere', at('second'));
      await fs.cp(at('dir/link'), at('first'));
      await fs.cp(at('dir/file'), at('second'));
      expect(await fs.readlink(at('first'))).toBe(at('dir/file'));
      expect((await fs.lstat(at('second'))).isFile()).toBe(true);
    });

    it('asks a filter for every path before it looks into it, or refuses to', async () => {
      await fs.mkdir(at('dir/skipped/below'), { recursive: true });
      const asked: string[] = [];
      const filter = (source: string, destination: string) => {
        asked.push(`${source.slice(root.length)} ${destination.slice(root.length)}`);
        return !source.endsWith('skipped');
      };
      const code = await codeOf(fs.cp(at('dir'), at('copy'), { recursive: true, filter }));
      if (limits.refusesFilters) {
        expect([code, asked]).toEqual(['EINVAL', []]);
        return;
      }
      expect(asked.sort()).toEqual([
        '/dir /copy',
        '/dir/file /copy/file',
        '/dir/link /copy/link',
        '/dir/skipped /copy/skipped',
      ]);
      expect((await fs.readdir(at('copy'))).sort()).toEqual(['file', 'link']);
      await fs.cp(at('dir/file'), at('no/file'), { filter: () => false });
      expect(await codeOf(fs.stat(at('no')))).toBe('ENOENT');
    });

    const over: CopyOptions = { force: false, errorOnExist: true };
    // The casts below: what a program without types can pass.
    const failures: readonly [code: string, what: string, run: () => Promise<unknown>][] = [
      ['EEXIST', 'an exclusive write over a file', () => write('dir/file', { flag: 'wx' })],
      ['EEXIST', 'an exclusive append to a file', () => write('dir/file', { flag: 'ax' })],
      ['ENOENT', 'a change of what is not there', () => write('no', { flag: 'r+' })],
      ['EBADF', 'a write for reading only', () => write('dir/file', { flag: 'r' })],
      ['EBADF', 'a read for writing only', () => fs.readFile(at('dir/file'), { flag: 'a' })],
      ['ERR_INVALID_ARG_VALUE', 'an unknown flag', () => write('new', { flag: 'z' })],
      ['ERR_INVALID_ARG_VALUE', 'an unknown encoding', () => write('new', { encoding: 'z' })],
      ['ERR_INVALID_ARG_VALUE', 'reading one', () => fs.readFile(at('dir/file'), 'z' as 'hex')],
      ['ERR_INVALID_ARG_VALUE', 'a mode of letters', () => write('new', { mode: 'rwx' })],
      ['ERR_INVALID_ARG_TYPE', 'a mode that is missing', () => fs.chmod(at('dir'), null as never)],
      ['ERR_OUT_OF_RANGE', 'a negative mode', () => fs.chmod(at('dir/file'), -1)],
      ['ERR_INVALID_ARG_TYPE', 'data that is null', () => fs.writeFile(at('new'), null as never)],
      ['ERR_INVALID_ARG_TYPE', 'a number as data', () => fs.appendFile(at('new'), 5 as never)],
      ['ERR_INVALID_ARG_TYPE', 'a path that is an object', () => fs.stat({} as string)],
      ['ERR_INVALID_ARG_VALUE', 'a NUL in a path', () => fs.writeFile(at('a\0b'), '')],
      ['ERR_INVALID_ARG_VALUE', 'a NUL in a target', () => fs.symlink('a\0b', at('new'))],
      ['ERR_INVALID_ARG_TYPE', 'a time that is none', () => fs.utimes(at('dir'), {} as never, 1)],
      ['ENAMETOOLONG', 'a name of 256 bytes', () => fs.writeFile(at('ü'.repeat(128)), '')],
      ['EPERM', 'a hard link to a directory', () => fs.link(at('dir'), at('new'))],
      ['EEXIST', 'a hard link over a file', () => fs.link(at('dir/file'), at('dir/link'))],
      ['ENOENT', 'a hard link to what is not there', () => fs.link(at('no'), at('new'))],
      ['ENOENT', 'a hard link below what is not there', () => fs.link(at('dir/file'), at('no/x'))],
      ['ENOENT', 'a hard link to a slash', () => fs.link(at('dir/file'), at('new/'))],
      ['EEXIST', 'an exclusive copy', () => fs.copyFile(at('dir/file'), at('dir/link'), 1)],
      ['ERR_OUT_OF_RANGE', 'an unknown copy', () => fs.copyFile(at('dir/file'), at('new'), 99)],
      ['EEXIST', 'cp over a file', () => fs.cp(at('dir/file'), at('dir/link'), over)],
      ['EINVAL', 'cp onto itself', () => fs.cp(at('dir/file'), at('dir/file'))],
      ['EISDIR', 'cp of a file over a directory', () => fs.cp(at('dir/file'), at('dir'))],
      ['ENOTDIR', 'cp of a directory over a file', () => copyTree('circle', 'dir/file', {})],
      ['EEXIST', 'cp of a link over a file', () => fs.cp(at('dir/link'), at('dir/file'))],
      [
        'ENOENT',
        'cp of what a link misses',
        () => copyTree('dangling', 'new', { dereference: true }),
      ],
      ['ELOOP', 'cp of links in a circle', () => copyTree('circle', 'new', { dereference: true })],
      ['ERR_INVALID_ARG_VALUE', 'readdir in no encoding', () => fs.readdir(root, 'z' as 'utf8')],
    ];
    const write = (path: string, options: object) => fs.writeFile(at(path), 'x', options);
    const copyTree = (from: string, to: string, options: CopyOptions) =>
      fs.cp(at(from), at(to), { recursive: true, ...options });

    it.each(failures)('fails with %s for %s, and changes nothing', async (code, _what, run) => {
      await fs.symlink('nowhere', at('dangling'));
      await fs.mkdir(at('circle'));
      await fs.symlink('../circle', at('circle/again'));
      const before = await fs.readdir(root, { recursive: true });
      expect(await codeOf(run())).toBe(code);
      // Node's cp leaves what it had copied when it failed; ours leaves nothing.
      const after = await fs.readdir(root, { recursive: true });
      expect(after.filter((path) => path !== 'new' && !path.startsWith('new/'))).toEqual(before);
      expect(await text('dir/file')).toBe('content');
    });
  });
}
