// What every source of a mount promises: test/unit and test/browser call it with theirs.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HostFs } from '../../src/workspace/mounts/host-fs.ts';

export interface HostFsSubject {
  readonly name: string;
  /** An empty tree of its own. */
  readonly open: () => Promise<HostFs>;
}

export function describeHostFs({ name, open }: HostFsSubject): void {
  describe(`HostFs of ${name}`, () => {
    let source: HostFs;
    const mode = { mode: 0o644 };
    const bytes = Uint8Array.from({ length: 300 }, (_, n) => n % 256);
    const namesIn = async (path: string) =>
      (await source.readdir(path)).map(({ name: entry, kind }) => `${entry} ${kind}`).sort();

    beforeEach(async () => {
      source = await open();
    });

    afterEach(() => source.close?.());

    it('lists, tells and gives what was written', async () => {
      await source.mkdir('d');
      await source.mkdir('d/empty');
      await source.writeFile('d/a.bin', bytes, mode);
      await source.writeFile('b', new Uint8Array(), { mode: 0o755 });
      expect(await namesIn('')).toEqual(['b file', 'd directory']);
      expect(await namesIn('d')).toEqual(['a.bin file', 'empty directory']);
      expect(await namesIn('d/empty')).toEqual([]);
      expect(await source.stat('d')).toEqual({ kind: 'directory' });
      expect(await source.stat('d/a.bin')).toMatchObject({ kind: 'file', size: 300 });
      expect(await source.readFile('d/a.bin')).toEqual(bytes);
      expect(await source.readFile('b')).toEqual(new Uint8Array());
      const stats = await source.stat('b');
      expect(stats?.kind === 'file' && (stats.mode ?? 0o755) & 0o777).toBe(0o755);
    });

    it('gives null for what isn’t there, also below what is no directory', async () => {
      await source.writeFile('a', bytes, mode);
      for (const path of ['b', 'b/c', 'a/b']) expect(await source.stat(path)).toBeNull();
    });

    it('makes no directory by itself', async () => {
      const missing = { code: 'ENOENT' };
      await expect(source.writeFile('none/a', bytes, mode)).rejects.toMatchObject(missing);
      await expect(source.mkdir('none/d')).rejects.toMatchObject(missing);
      expect(await namesIn('')).toEqual([]);
    });

    it('replaces a file, of which nothing old is left, and keeps only the view’s bytes', async () => {
      await source.writeFile('a', bytes, mode);
      const before = await source.stat('a');
      await source.writeFile('a', bytes.subarray(10, 12), mode);
      expect(await source.readFile('a')).toEqual(Uint8Array.of(10, 11));
      expect(await source.stat('a')).not.toEqual(before);
    });

    it('removes files and empty directories, and makes another kind in their place', async () => {
      await source.mkdir('d');
      await source.writeFile('d/a', bytes, mode);
      await expect(source.remove('d')).rejects.toThrow(/empty|EMPTY|taken/);
      await source.remove('d/a');
      await source.remove('d');
      await source.flush?.();
      expect(await namesIn('')).toEqual([]);
      await source.writeFile('d', bytes, mode);
      expect(await source.stat('d')).toMatchObject({ kind: 'file' });
      await source.remove('d');
      await source.mkdir('d');
      expect(await namesIn('')).toEqual(['d directory']);
      expect(await namesIn('d')).toEqual([]);
    });

    it('keeps links, where it can, as they are', async () => {
      if (!source.symlink) return;
      await source.writeFile('a', bytes, mode);
      await source.symlink('a', 'link');
      expect(await source.stat('link')).toEqual({ kind: 'symlink', target: 'a' });
      await source.writeFile('link', Uint8Array.of(1), mode);
      expect(await source.readFile('a')).toEqual(bytes);
      expect(await source.readFile('link')).toEqual(Uint8Array.of(1));
      await source.symlink('b', 'link');
      expect(await source.stat('link')).toEqual({ kind: 'symlink', target: 'b' });
      await source.remove('link');
      expect(await namesIn('')).toEqual(['a file']);
    });
  });
}
