// What a path means: slashes and dots at its end, links on its way, how long it may be. Runs on Node's
// fs too.
import { beforeEach, describe, expect, it } from 'vitest';
import { codeOf, type FileSystemSubject, type NodeHalf } from './file-system-subject.ts';

export function describeFilePaths(
  name: string,
  open: () => Promise<FileSystemSubject<NodeHalf>>,
): void {
  describe(`${name}: paths as in Node`, () => {
    let fs: NodeHalf;
    let root: string;
    const at = (path: string) => `${root}/${path}`;

    beforeEach(async () => {
      ({ fs, root } = await open());
      await fs.mkdir(at('dir/sub'), { recursive: true });
      await fs.mkdir(at('empty'));
      await fs.writeFile(at('dir/file'), 'content');
      await fs.symlink('dir', at('link'));
      await fs.symlink('nowhere', at('dangling'));
    });

    it('makes directories name by name: behind a link, .. leaves where it leads', async () => {
      await fs.symlink('dir/sub', at('deep'));
      await fs.mkdir(at('deep/../made'), { recursive: true });
      expect((await fs.stat(at('dir/made'))).isDirectory()).toBe(true);
    });

    it('follows a link with a slash, and takes the slash of a target for one', async () => {
      await fs.symlink('dir/', at('slash'));
      await fs.symlink('dir/file/', at('none'));
      expect((await fs.lstat(at('link/'))).isDirectory()).toBe(true);
      expect((await fs.stat(at('slash'))).isDirectory()).toBe(true);
      expect(await codeOf(fs.stat(at('none')))).toBe('ENOTDIR');
    });

    it('follows 40 links and no more', async () => {
      await fs.symlink('dir', at('1'));
      for (let each = 2; each <= 41; each += 1) await fs.symlink(`${each - 1}`, at(`${each}`));
      expect((await fs.stat(at('40'))).isDirectory()).toBe(true);
      expect(await codeOf(fs.stat(at('41')))).toBe('ELOOP');
    });

    it('takes a name of 255 bytes and a path of 4 095', async () => {
      const longest = `${'ü'.repeat(127)}x`;
      await fs.writeFile(at(longest), '');
      expect((await fs.readdir(root)).includes(longest)).toBe(true);
      const padded = at('').padEnd(4095 - 'empty'.length, '/');
      expect((await fs.stat(`${padded}empty`)).isDirectory()).toBe(true);
      expect(await codeOf(fs.stat(`${padded}/empty`))).toBe('ENAMETOOLONG');
    });

    const recursive = { recursive: true };
    const reading = { flag: 'r' } as const;
    const failures: readonly [code: string, what: string, run: () => Promise<unknown>][] = [
      ['EISDIR', 'a new file with a slash behind it', () => fs.writeFile(at('new/'), '')],
      ['EISDIR', 'an old one, where it could be made', () => fs.writeFile(at('dir/file/'), '')],
      ['EISDIR', 'a copy with a slash behind it', () => fs.cp(at('dir/file'), at('new/'))],
      ['ENOENT', 'a link with a slash behind it', () => fs.symlink('x', at('new/'))],
      ['ENOENT', 'mkdir of a dot', () => fs.mkdir(at('new/.'))],
      ['ENOENT', 'mkdir -p over a dangling link', () => fs.mkdir(at('dangling'), recursive)],
      ['ENOTDIR', 'mkdir -p below one', () => fs.mkdir(at('dangling/new'), recursive)],
      ['ENOENT', 'cp below one', () => fs.cp(at('dir/file'), at('dangling/x'))],
      ['ENOTDIR', 'cp below a file', () => fs.cp(at('dir/file'), at('dir/file/x/y'))],
      ['ENOTDIR', 'moving a link with a slash', () => fs.rename(at('link/'), at('new'))],
      ['ENOTDIR', 'unlinking one', () => fs.unlink(at('link/'))],
      ['ENOTDIR', 'rmdir of one', () => fs.rmdir(at('link/'))],
      ['EBUSY', 'moving a dot', () => fs.rename(at('empty/.'), at('new'))],
      ['EBUSY', 'moving onto dots', () => fs.rename(at('empty'), at('dir/..'))],
      ['EINVAL', 'rmdir of a dot', () => fs.rmdir(at('empty/.'))],
      ['EINVAL', 'rm of a dot', () => fs.rm(at('empty/.'), recursive)],
      ['ENOTEMPTY', 'a file over its own directory', () => fs.rename(at('dir/file'), at('dir'))],
      // Of two things that are wrong, what the system finds first.
      ['ENOENT', 'writing for reading only', () => fs.writeFile(at('no'), '', reading)],
      ['EISDIR', 'reading for writing only', () => fs.readFile(at('dir'), { flag: 'w' })],
      ['ENOTDIR', 'moving nothing below a file', () => fs.rename(at('no'), at('dir/file/x'))],
      ['EEXIST', 'linking a directory over a file', () => fs.link(at('dir'), at('dir/file'))],
      ['ENOENT', 'copying a directory nowhere', () => fs.copyFile(at('dir'), at('no/x'))],
    ];
    it.each(failures)('fails with %s for %s, and changes nothing', async (code, _what, run) => {
      const list = async () =>
        (await fs.readdir(root, { recursive: true, withFileTypes: true }))
          .map((entry) => `${entry.parentPath}/${entry.name}`)
          .sort();
      const before = await list();
      expect(await codeOf(run())).toBe(code);
      expect(await list()).toEqual(before);
      expect(await fs.readFile(at('dir/file'), 'utf8')).toBe('content');
    });
  });
}
