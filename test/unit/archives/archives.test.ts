import { gzipSync, zipSync, type Zippable } from 'fflate';
import { packTar, type TarEntry } from 'modern-tar';
import { beforeEach, describe, expect, it } from 'vitest';
import { SdkError } from '../../../src/core/errors.ts';
import { exportZip } from '../../../src/workspace/archives/export-zip.ts';
import { importTar, importZip } from '../../../src/workspace/archives/import-archive.ts';
import { createMemoryWorkspace } from '../../../src/workspace/memory-workspace.ts';
import type { Workspace } from '../../../src/workspace/workspace.ts';

let workspace: Workspace;
const directory = '/workspace';

beforeEach(async () => {
  workspace = await createMemoryWorkspace();
  await workspace.fs.mkdir(directory);
  await workspace.fs.writeFile(`${directory}/kept.txt`, 'kept');
});

const bytesOf = (text: string) => new TextEncoder().encode(text);
const binary = Uint8Array.from({ length: 3000 }, (_, n) => (n * n) % 256);
const options = { directory };

async function list(): Promise<Record<string, string>> {
  const all: Record<string, string> = {};
  for (const name of (await workspace.fs.readdir(directory, { recursive: true })).sort()) {
    const path = `${directory}/${name}`;
    const stats = await workspace.fs.lstat(path);
    if (stats.isDirectory()) all[`${name}/`] = '';
    else if (stats.isSymbolicLink()) all[name] = `-> ${await workspace.fs.readlink(path)}`;
    else all[name] = await workspace.fs.readFile(path, 'utf8');
  }
  return all;
}

async function pack(stream: ReadableStream<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(
    await new Response(stream as ReadableStream<Uint8Array<ArrayBuffer>>).arrayBuffer(),
  );
}

/** What an archive is refused with; the workspace is as before, and has no root more. */
async function refused(importing: Promise<unknown>): Promise<string> {
  const error: unknown = await importing.then(
    () => 'It was taken.',
    (thrown: unknown) => thrown,
  );
  expect(await list()).toEqual({ 'kept.txt': 'kept' });
  expect(await workspace.roots.list()).toEqual([]);
  return SdkError.isInstance(error) ? `${error.code}: ${error.message}` : String(error);
}

const makeTar = (...entries: readonly TarEntry[]) => packTar(entries);
const file = (name: string, body = 'x'): TarEntry => ({
  header: { name, size: body.length, type: 'file' },
  body,
});

describe('importZip and exportZip', () => {
  it.each([
    ['of Windows, in the code page of the first PCs', [0x9a, 0x81, 0x64], 'Üüd'],
    ['in UTF-8 without its flag', [0xc3, 0xbc, 0x64], 'üd'],
  ])('read names %s', async (_of, bytes, name) => {
    const zip = zipSync({ 'QQQ/a.txt': bytesOf('a'), 'QQQ.txt': bytesOf('b') });
    // The packer knows no such names: they are put into its headers, each of which has the name once.
    for (let at = 0; at + 3 <= zip.length; at += 1) {
      if (zip.subarray(at, at + 3).every((byte) => byte === 0x51)) zip.set(bytes, at);
    }
    await importZip(workspace, zip, options);
    expect(await list()).toEqual({
      'kept.txt': 'kept',
      [`${name}/`]: '',
      [`${name}/a.txt`]: 'a',
      [`${name}.txt`]: 'b',
    });
  });

  it('are inverses: files, modes, times, links, empty directories, names of any script', async () => {
    const { fs } = workspace;
    await fs.mkdir(`${directory}/sub/empty`, { recursive: true });
    await fs.writeFile(`${directory}/sub/a.bin`, binary);
    await fs.writeFile(`${directory}/größe 日本.txt`, 'ü');
    await fs.writeFile(`${directory}/none`, '');
    await fs.writeFile(`${directory}/run.sh`, '#!', { mode: 0o755 });
    // Odd, and so no time of the format's own, which also is of no time zone.
    await fs.utimes(`${directory}/run.sh`, 1_700_000_001, 1_700_000_001);
    await fs.symlink('sub/a.bin', `${directory}/link`);
    const before = await list();
    const zip = await pack(exportZip(workspace, { directory, exclude: ['kept.txt'] }));
    await fs.rm(directory, { recursive: true });
    const events: number[] = [];
    const following = workspace.onChange(({ root, seq, changes }) => {
      if (root === 'main' && changes.length > 0) events.push(seq);
    });
    const result = await importZip(workspace, zip, options);
    following[Symbol.dispose]();
    const { 'kept.txt': _, ...packed } = before;
    expect(await list()).toEqual(packed);
    expect(await fs.readFile(`${directory}/sub/a.bin`)).toEqual(binary);
    const stats = await fs.stat(`${directory}/run.sh`);
    expect([stats.mode & 0o777, stats.mtimeMs]).toEqual([0o755, 1_700_000_001_000]);
    expect(result).toEqual({ files: 5, bytes: 3004, seq: workspace.seq() - 1 });
    // One commit, whatever the number of entries.
    expect(events).toHaveLength(1);
  });

  it('replaces files, and nothing else', async () => {
    await workspace.fs.writeFile(`${directory}/a.txt`, 'old');
    await importZip(
      workspace,
      zipSync({ 'a.txt': bytesOf('new'), 'd/b.txt': bytesOf('b') }),
      options,
    );
    expect(await list()).toEqual({ 'a.txt': 'new', 'd/': '', 'd/b.txt': 'b', 'kept.txt': 'kept' });
  });

  it('refuses every name that no archive may have', async () => {
    const told = async (...names: readonly string[]) => {
      const zippable: Zippable = Object.fromEntries(names.map((name) => [name, bytesOf('x')]));
      const message = await refused(importZip(workspace, zipSync(zippable), options));
      return /unpacked: (.*)\. Nothing was unpacked\.$/.exec(message)?.[1] ?? message;
    };
    expect(await told('../x')).toBe('it leads out of its directory by ..');
    expect(await told('a/../../x')).toBe('it leads out of its directory by ..');
    expect(await told('/etc/x')).toBe('it is absolute');
    expect(await told('C:/x')).toBe('it begins with a drive letter');
    expect(await told('a\\x')).toBe('it has a backslash');
    expect(await told('a\u0007x')).toBe('it has control characters');
    expect(await told('n'.repeat(256))).toBe('a name in it is too long');
    expect(await told('Read.me', 'd/x', 'read.ME')).toBe(
      'Read.me differs from it by the case of letters only',
    );
    expect(await told('D/x', 'd/y')).toBe('D differs from it by the case of letters only');
    expect(await told('a', 'a/b')).toBe('a is no directory in it');
  });

  it('refuses 10 GB of zeros by its directory, without reading them', async () => {
    const packed = 10_000_000;
    const extra = new DataView(new ArrayBuffer(12));
    extra.setUint16(0, 1, true);
    extra.setUint16(2, 8, true);
    extra.setBigUint64(4, 10_000_000_000n, true);
    const zip = zipSync({
      zeros: [new Uint8Array(), { extra: { 1: new Uint8Array(extra.buffer, 4) } }],
    });
    const view = new DataView(zip.buffer);
    const at = zip.length - 22 - view.getUint32(zip.length - 22 + 12, true);
    view.setUint16(at + 10, 8, true);
    view.setUint32(at + 20, packed, true);
    view.setUint32(at + 24, 0xffffffff, true);
    let read = 0;
    const blob = new Blob([zip.slice(0, at), new Uint8Array(packed), zip.slice(at)]);
    const end = new DataView(zip.buffer, zip.length - 22);
    end.setUint32(16, at + packed, true);
    const whole = new Blob([blob.slice(0, at + packed), zip.slice(at)]);
    const slice = whole.slice.bind(whole);
    whole.slice = (start = 0, stop = whole.size) => {
      read += stop - start;
      return slice(start, stop);
    };
    expect(await refused(importZip(workspace, whole, options))).toBe(
      'limit-exceeded: The archive unpacks to more than 200 times its size, as no honest one does. Nothing was unpacked.',
    );
    expect(read).toBeLessThan(100_000);
  });

  it('refuses one that says less than it has, that is damaged, or lies over itself', async () => {
    const lying = zipSync({ 'a.txt': new Uint8Array(1_000_000) });
    const directoryAt =
      lying.length - 22 - new DataView(lying.buffer).getUint32(lying.length - 10, true);
    const change = (from: Uint8Array, at: number, value: number) => {
      const copy = from.slice();
      new DataView(copy.buffer).setUint32(at, value, true);
      return copy;
    };
    const told = (zip: Uint8Array) => refused(importZip(workspace, zip, options));
    expect(await told(change(lying, directoryAt + 24, 10))).toContain(
      'a.txt is longer than it says.',
    );
    expect(await told(change(lying, directoryAt + 24, 2_000_000))).toContain(
      'a.txt is shorter than it says.',
    );
    expect(await told(change(lying, directoryAt + 16, 7))).toContain(
      'The checksum of a.txt is wrong.',
    );
    expect(await told(change(lying, directoryAt + 42, 5))).toContain("isn't where it should be.");
    expect(await told(lying.slice(0, -30))).toContain('It has no end of a zip.');
    expect(await told(bytesOf('<html>Not found</html>'))).toContain('It has no end of a zip.');
    const twice = zipSync({ a: bytesOf('1'), b: bytesOf('1') });
    const second = twice.length - 22 - 47;
    expect(await told(change(twice, second + 42, 0))).toContain('b lies over another entry.');
    // As a packer does that counts 65 537 entries in 16 bits.
    expect(await told(change(twice, twice.length - 14, 0x0001_0001))).toContain(
      'Its directory has more than the 1 entries that it says.',
    );
    const large = zipSync({ a: binary });
    expect(await refused(importZip(workspace, large, { directory, maxBytes: 100 }))).toContain(
      'limit-exceeded',
    );
    expect(await refused(importZip(workspace, twice, { directory, maxEntries: 1 }))).toContain(
      '2 entries',
    );
  });

  it('leaves the workspace as it is when it is stopped, or something stands in the way', async () => {
    const stop = new AbortController();
    stop.abort();
    const zip = zipSync({ 'a.txt': bytesOf('x') });
    const stopped = importZip(workspace, zip, { directory, signal: stop.signal });
    expect(await refused(stopped)).toMatch(/^aborted/);
    const over = zipSync({ 'kept.txt/x': bytesOf('x') });
    expect(await refused(importZip(workspace, over, options))).toMatch(
      /^EEXIST: The archive has a directory for \/workspace\/kept\.txt/,
    );
  });
});

describe('exportZip', () => {
  it('refuses more entries than a zip counts, before it packs one', async () => {
    const names = Array.from({ length: 65_536 }, (_, n) => `f${n}`);
    const fs = Object.create(workspace.fs, { readdir: { value: async () => names } });
    const crowded = { ...workspace, fs };
    // A browser's Response would hide what the stream fails with.
    const packing = exportZip(crowded, { directory }).getReader();
    await expect(packing.read()).rejects.toMatchObject({
      code: 'limit-exceeded',
      message: expect.stringContaining('65536 files and directories'),
    });
    const { length } = await pack(exportZip(crowded, { directory, exclude: ['f*'] }));
    expect(length).toBe(22);
  });
});

describe('importTar', () => {
  it('takes a tar.gz of files, directories, links and other names of files', async () => {
    const tar = await makeTar(
      { header: { name: 'd/', size: 0, type: 'directory' } },
      { header: { name: 'd/run.sh', size: 2, type: 'file', mode: 0o755 }, body: '#!' },
      { header: { name: 'link', size: 0, type: 'symlink', linkname: 'd/run.sh' } },
      { header: { name: 'same', size: 0, type: 'link', linkname: 'd/run.sh' } },
      file(`${'long'.repeat(40)}/${'name'.repeat(30)}.txt`),
    );
    const stream = new Blob([gzipSync(tar)]).stream();
    const result = await importTar(workspace, stream, options);
    expect(result).toMatchObject({ files: 4 });
    expect(await list()).toEqual({
      'd/': '',
      'd/run.sh': '#!',
      'kept.txt': 'kept',
      link: '-> d/run.sh',
      [`${'long'.repeat(40)}/`]: '',
      [`${'long'.repeat(40)}/${'name'.repeat(30)}.txt`]: 'x',
      same: '#!',
    });
    expect((await workspace.fs.stat(`${directory}/d/run.sh`)).mode & 0o777).toBe(0o755);
  });

  it('refuses names, links and kinds that no archive may have', async () => {
    const told = async (...entries: readonly TarEntry[]) =>
      refused(importTar(workspace, await makeTar(file('first'), ...entries), options));
    const link = (name: string, linkname: string, type: 'symlink' | 'link' = 'symlink') => ({
      header: { name, linkname, type, size: 0 },
    });
    expect(await told(file('../x'))).toContain('it leads out of its directory by ..');
    expect(await told(link('l', '../out'))).toContain('it is a link to ../out, which leads out');
    // Together they would lead to out: d/up is the archive's top.
    expect(await told(link('d/up', '..'), link('l', 'd/up/../out'))).toContain(
      'it is a link to d/up/../out, which goes up behind a name',
    );
    expect(await told(link('l', '/etc'))).toContain('it is a link to /etc, which is absolute');
    expect(await told(link('l', 'd'), file('l/x'))).toContain('l is no directory in it');
    expect(await told(link('l', '../../x', 'link'))).toContain(
      'it leads out of its directory by ..',
    );
    expect(await told({ header: { name: 'pipe', size: 0, type: 'fifo' } })).toContain(
      'which is no file, directory or link',
    );
  });

  it('refuses one that is cut, and what is no tar', async () => {
    const tar = await makeTar(file('a', 'x'.repeat(100_000)));
    expect(await refused(importTar(workspace, tar.slice(0, 50_000), options))).toMatch(
      /^invalid-input/,
    );
    expect(await refused(importTar(workspace, gzipSync(tar).slice(0, 100), options))).toMatch(
      /^invalid-input/,
    );
    expect(await refused(importTar(workspace, bytesOf('<html>'), options))).toMatch(
      /^invalid-input/,
    );
  });
});
