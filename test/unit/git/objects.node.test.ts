// The object store and the indexer of received packs, against real git. They give the same objects
// and the same index byte for byte. Nothing is written of a pack that isn't right.
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openObjects, type ObjectStore } from '../../../src/workspace/git/objects/open-objects.ts';
import { receivePack } from '../../../src/workspace/git/objects/receive-pack.ts';
import type { SyncFileSystem } from '../../../src/workspace/files/file-system.ts';
import {
  bringIn,
  gitText,
  makeRepository,
  openEmptyView,
  runGit,
  takeOut,
} from '../../support/git/real-git.ts';

let directory: string;
let repository: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'objects-'));
  repository = join(directory, 'repository');
  makeRepository(repository);
});
afterAll(() => rmSync(directory, { recursive: true }));

/** Every object of the repository, as real git reads it. */
function listObjects(): { oid: string; type: string; bytes: Buffer }[] {
  const output = runGit(repository, ['cat-file', '--batch-all-objects', '--batch']);
  const objects = [];
  for (let at = 0; at < output.length;) {
    const end = output.indexOf('\n', at);
    const [oid = '', type = '', size] = output.toString('utf8', at, end).split(' ');
    at = end + 1 + Number(size) + 1;
    objects.push({ oid, type, bytes: output.subarray(end + 1, at - 1) });
  }
  return objects;
}

async function openRepository(): Promise<{ files: SyncFileSystem; store: ObjectStore }> {
  const files = (await openEmptyView()).fs.sync;
  bringIn(files, join(repository, '.git'), '/r/.git');
  return { files, store: openObjects(files, '/r/.git') };
}

function expectSame(store: ObjectStore): void {
  const objects = listObjects();
  for (const { oid, type, bytes } of objects) {
    const object = store.read(oid);
    expect(object.type).toBe(type);
    expect(Buffer.from(object.bytes).equals(bytes)).toBe(true);
  }
  const read = new Map(store.readMany(objects.map(({ oid }) => oid)));
  expect([...read.keys()].sort()).toEqual(objects.map(({ oid }) => oid).sort());
}

describe('openObjects', () => {
  it('reads loose objects, packs with deltas of both kinds, and both together', async () => {
    expectSame((await openRepository()).store);
    runGit(repository, ['repack', '-adq', '--depth=50', '--window=50']);
    expectSame((await openRepository()).store);
    // Packs without offset deltas name their bases by id.
    runGit(repository, ['-c', 'repack.usedeltabaseoffset=false', 'repack', '-adqf']);
    expectSame((await openRepository()).store);
    writeFileSync(join(repository, 'new.txt'), 'new');
    runGit(repository, ['add', '-A']);
    runGit(repository, ['commit', '-qm', 'new']);
    expectSame((await openRepository()).store);
  });

  it('writes objects that real git reads and finds whole', async () => {
    const { files, store } = await openRepository();
    const text = new TextEncoder().encode('written here\n'.repeat(1000));
    const oid = store.write('blob', text);
    expect(store.write('blob', text)).toBe(oid);
    expect(store.has(oid)).toBe(true);
    takeOut(files, '/r/.git', join(directory, 'written/.git'));
    const written = join(directory, 'written');
    expect(runGit(written, ['cat-file', 'blob', oid]).equals(text)).toBe(true);
    runGit(written, ['fsck', '--strict']);
  });

  it('finds a pack that comes later', async () => {
    const { files, store } = await openRepository();
    const other = join(directory, 'other');
    makeRepository(other, 3);
    writeFileSync(join(other, 'only-here'), 'only here');
    runGit(other, ['add', '-A']);
    const oid = gitText(other, 'rev-parse', ':only-here');
    expect(store.has(oid)).toBe(false);
    const sent = runGit(other, ['pack-objects', '-q', '--stdout'], `${oid}\n`);
    await receivePack(files, { gitdir: '/r/.git', pack: new Uint8Array(sent), store });
    expect(new TextDecoder().decode(store.readAs(oid, 'blob'))).toBe('only here');
  });

  it('finds objects by the beginning of their ids', async () => {
    const { store } = await openRepository();
    for (const { oid } of listObjects()) expect(store.findPrefix(oid.slice(0, 12))).toEqual([oid]);
    expect(store.findPrefix('xyz')).toEqual([]);
    for (const { oid } of listObjects().slice(0, 5)) {
      expect(store.shorten(oid)).toBe(gitText(repository, 'rev-parse', '--short', oid));
    }
  });

  it('says what is missing, damaged or borrowed', async () => {
    const { files, store } = await openRepository();
    expect(() => store.read('0'.repeat(40))).toThrow(
      /^ENOENT: object 0{40} isn't in this repository/,
    );
    expect(() => store.read('../../etc')).toThrow('is no object id');
    const oid = store.write('blob', new Uint8Array(5000).fill(7));
    const path = `/r/.git/objects/${oid.slice(0, 2)}/${oid.slice(2)}`;
    for (const bytes of [new Uint8Array(), new Uint8Array(50), deflateSync('blob 99999\0x')]) {
      files.chmodSync(path, 0o644);
      files.writeFileSync(path, bytes);
      expect(() => store.read(oid)).toThrow(/^EIO/);
    }
    files.mkdirSync('/r/.git/objects/info', { recursive: true });
    files.writeFileSync('/r/.git/objects/info/alternates', '/other/.git/objects\n');
    expect(() => openObjects(files, '/r/.git')).toThrow('borrows objects from another repository');
  });
});

describe('receivePack', () => {
  it('writes the index that git itself writes', async () => {
    const pack = runGit(repository, ['pack-objects', '-q', '--all', '--stdout'], '');
    const target = join(directory, 'indexed');
    runGit(directory, ['init', '-q', target]);
    runGit(target, ['index-pack', '--stdin'], pack);
    const names = readdirSync(join(target, '.git/objects/pack')).filter((name) =>
      /idx$|pack$/.test(name),
    );
    const files = (await openEmptyView()).fs.sync;
    const store = openObjects(files, '/r');
    const told: number[] = [];
    const received = await receivePack(
      files,
      { gitdir: '/r', pack: new Uint8Array(pack), store },
      { onProgress: (done) => told.push(done) },
    );
    expect(files.readdirSync('/r/objects/pack')).toEqual(names.sort());
    for (const name of names) {
      const bytes = readFileSync(join(target, '.git/objects/pack', name));
      expect(bytes.equals(files.readFileSync(`/r/objects/pack/${name}`))).toBe(true);
    }
    expect(told.at(-1)).toBe(received?.objects);
    expectSame(store);
  });

  it('completes a thin pack, so that real git takes it', async () => {
    const sender = join(directory, 'sender');
    makeRepository(sender, 8);
    const files = (await openEmptyView()).fs.sync;
    const store = openObjects(files, '/r/.git');
    const send = async (revisions: string, ...args: string[]) => {
      const pack = runGit(sender, ['pack-objects', '-q', '--stdout', '--revs', ...args], revisions);
      await receivePack(files, { gitdir: '/r/.git', pack: new Uint8Array(pack), store });
    };
    await send('main~3\n');
    await send('main\n^main~3\n', '--thin', '--delta-base-offset');
    bringIn(files, join(sender, '.git/refs'), '/r/.git/refs');
    for (const name of ['HEAD', 'config']) {
      files.writeFileSync(`/r/.git/${name}`, readFileSync(join(sender, '.git', name)));
    }
    takeOut(files, '/r/.git', join(directory, 'completed/.git'));
    const packs = files.readdirSync('/r/.git/objects/pack').filter((name) => name.endsWith('.idx'));
    expect(packs).toHaveLength(2);
    for (const name of packs) {
      runGit(join(directory, 'completed'), ['verify-pack', `.git/objects/pack/${name}`]);
    }
  });

  /** A pack of these entries, with a right checksum. */
  function makePack(count: number, ...parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
    const header = Buffer.alloc(12);
    header.write('PACK');
    header.writeUInt32BE(2, 4);
    header.writeUInt32BE(count, 8);
    const body = Buffer.concat([header, ...parts]);
    return new Uint8Array(Buffer.concat([body, createHash('sha1').update(body).digest()]));
  }
  const hello = deflateSync('hello');
  const bytes = (...values: number[]) => new Uint8Array(values);

  it.each<[string, () => Uint8Array<ArrayBuffer>, RegExp]>([
    [
      'no pack',
      () => new Uint8Array(Buffer.from('<html>no git here, and some more</html>')),
      /sent no pack/,
    ],
    ['nothing', () => new Uint8Array(), /sent no pack/],
    [
      'an unknown version',
      () => {
        const pack = makePack(1, bytes(0x35), hello);
        pack[7] = 9;
        return pack;
      },
      /version 9/,
    ],
    [
      'a wrong checksum',
      () => {
        const pack = makePack(1, bytes(0x35), hello);
        pack[15]! ^= 1;
        return pack;
      },
      /checksum is wrong/,
    ],
    ['a cut pack', () => makePack(1, bytes(0x35), hello).slice(0, -3), /cut off/],
    ['a count that cannot be', () => makePack(4_000_000_000, bytes(0x35), hello), /cut off/],
    [
      'fewer objects than it says',
      () => makePack(2, bytes(0x35), hello, hello.subarray(0, 5)),
      /damaged/,
    ],
    ['more than it says', () => makePack(1, bytes(0x35), hello, bytes(0)), /more than it says/],
    ['an object shorter than it says', () => makePack(1, bytes(0x36), hello), /damaged/],
    [
      'an object longer than it says',
      () => makePack(1, bytes(0x34), hello),
      /more than the 4 bytes/,
    ],
    [
      'an object of 1 TB',
      () => makePack(1, bytes(0xb5, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f), hello),
      /are the most here/,
    ],
    ['an unknown type', () => makePack(1, bytes(0x55), hello), /unknown type 5/],
    ['a delta before the pack', () => makePack(1, bytes(0x65, 0x7f), hello), /no base in it/],
    [
      'a delta of nothing',
      () => makePack(1, bytes(0x75), new Uint8Array(20), hello),
      /delta has no base/,
    ],
    [
      'damaged compression',
      () => makePack(1, bytes(0x35), Buffer.from(hello).fill(255, 2, 6)),
      /damaged/,
    ],
  ])('refuses %s and writes nothing', async (_what, make, message) => {
    const files = (await openEmptyView()).fs.sync;
    const store = openObjects(files, '/r');
    await expect(receivePack(files, { gitdir: '/r', pack: make(), store })).rejects.toThrow(
      message,
    );
    expect(files.existsSync('/r')).toBe(false);
  });

  it('stops when it is aborted and writes nothing', async () => {
    const pack = runGit(repository, ['pack-objects', '-q', '--all', '--stdout'], '');
    const files = (await openEmptyView()).fs.sync;
    const store = openObjects(files, '/r');
    const signal = AbortSignal.abort();
    await expect(
      receivePack(files, { gitdir: '/r', pack: new Uint8Array(pack), store }, { signal }),
    ).rejects.toMatchObject({ code: 'aborted' });
    expect(files.existsSync('/r')).toBe(false);
  });
});
