// Damage to the files of opfs-log, done by this page while nobody has them open.
import { afterEach, describe, expect, it } from 'vitest';
import logWorker from './opfs-log.worker.ts?worker&url';
import type { Answer, OpfsLogControl } from './opfs-log.worker.ts';
import { startRemote, terminateRemotes, valueOf } from '../../support/browser/remote-workers.ts';

const startWorker = () => startRemote<OpfsLogControl>(logWorker).fs;

afterEach(terminateRemotes);

/** Two owners one after the other: the first writes `/a` and `/b`, the second `/c`. */
async function writeLog(): Promise<string> {
  const name = `opfs-damage test ${crypto.randomUUID()}`;
  const fs = startWorker();
  for (const files of ['ab', 'c']) {
    valueOf(await fs.open(name));
    for (const file of files) valueOf(await fs.write(`/${file}`, `text of ${file}`));
    valueOf(await fs.close());
  }
  return name;
}

async function directoryOf(name: string): Promise<FileSystemDirectoryHandle> {
  const root = await navigator.storage.getDirectory();
  const all = await root.getDirectoryHandle('rockpool');
  return all.getDirectoryHandle(encodeURIComponent(name));
}

async function filesOf(name: string): Promise<Map<string, Uint8Array<ArrayBuffer>>> {
  const directory = await directoryOf(name);
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  for await (const file of directory.keys()) {
    if (file.startsWith('owner')) continue;
    const snapshot = await (await directory.getFileHandle(file)).getFile();
    files.set(file, new Uint8Array(await snapshot.arrayBuffer()));
  }
  return files;
}

/** Null removes the file. */
async function damage(
  name: string,
  file: string,
  change: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer> | null,
): Promise<void> {
  const bytes = (await filesOf(name)).get(file);
  if (!bytes) throw new TypeError(`There is no ${file}.`);
  const directory = await directoryOf(name);
  const changed = change(bytes);
  if (!changed) {
    await directory.removeEntry(file);
    return;
  }
  const writable = await (await directory.getFileHandle(file)).createWritable();
  await writable.write(changed);
  await writable.close();
}

const images = ['image-00000001-0', 'image-00000002-0'];
const [first, second] = ['segment-00000001-000000', 'segment-00000002-000000'];

/** Without them all records are read. */
async function removeImages(name: string): Promise<void> {
  for (const image of images) await damage(name, image, () => null);
}

function flipAt(find: (bytes: Uint8Array) => number) {
  return (bytes: Uint8Array<ArrayBuffer>) => {
    const at = find(bytes);
    bytes[at] = (bytes[at] ?? 0) ^ 4;
    return bytes;
  };
}

/** Where those letters stand last. */
function placeOf(text: string) {
  return (bytes: Uint8Array) => String.fromCharCode(...bytes).lastIndexOf(text);
}

/** What a next owner finds. */
async function openAnew(name: string) {
  const fs = startWorker();
  const { seq, droppedBytes } = valueOf(await fs.open(name));
  const files: Record<string, string> = {};
  for (const file of valueOf(await fs.list())) {
    const { error, value } = (await fs.read(`/${file}`)) as Answer<string> & { value?: string };
    files[file] = error?.code ?? value ?? '';
  }
  const { lostFiles } = valueOf(await fs.info());
  valueOf(await fs.write('/new', 'goes on'));
  valueOf(await fs.close());
  return { seq, isDropped: droppedBytes > 0, files, lostFiles };
}

const texts = { a: 'text of a', b: 'text of b', c: 'text of c' };

// 60 s: each test starts several workers, one after the other.
describe('opfs-log after damage', { timeout: 600_000 }, () => {
  it('is what it was when a byte of an image flipped, or both images are gone', async () => {
    const name = await writeLog();
    expect([...(await filesOf(name)).keys()].sort()).toEqual([...images, first, second]);
    await damage(
      name,
      images[1] ?? '',
      flipAt(() => 50),
    );
    const whole = { isDropped: false, files: texts, lostFiles: [] };
    expect(await openAnew(name)).toEqual({ ...whole, seq: 3 });
    const other = await writeLog();
    await removeImages(other);
    expect(await openAnew(other)).toEqual({ ...whole, seq: 3 });
  });

  it('opens up to a record in which a byte flipped, and says that it dropped the rest', async () => {
    const name = await writeLog();
    await removeImages(name);
    await damage(name, first, flipAt(placeOf('"path":"/b"')));
    const { a } = texts;
    expect(await openAnew(name)).toEqual({ seq: 1, isDropped: true, files: { a }, lostFiles: [] });
    // It is told again, and what can't be reached stays.
    const { seq, isDropped } = await openAnew(name);
    expect([seq, isDropped, (await filesOf(name)).has(second)]).toEqual([2, true, true]);
  });

  it('opens up to a record that was cut', async () => {
    const name = await writeLog();
    await removeImages(name);
    await damage(name, second, (bytes) => bytes.slice(0, -5));
    const { a, b } = texts;
    const files = { a, b };
    expect(await openAnew(name)).toEqual({ seq: 2, isDropped: true, files, lostFiles: [] });
  });

  it('lacks the contents of a missing segment alone, and lists them', async () => {
    const name = await writeLog();
    await damage(name, first, () => null);
    const files = { a: 'EIO', b: 'EIO', c: 'text of c' };
    const lostFiles = ['/a', '/b'];
    expect(await openAnew(name)).toEqual({ seq: 3, isDropped: false, files, lostFiles });
  });

  it('never reads a flipped byte of a content as if it were right', async () => {
    const name = await writeLog();
    await damage(name, first, flipAt(placeOf('text of b')));
    const files = { ...texts, b: 'EIO' };
    expect(await openAnew(name)).toEqual({ seq: 3, isDropped: false, files, lostFiles: ['/b'] });
  });

  it('stays closed, and as it is, when nothing of it can be reached', async () => {
    const name = await writeLog();
    await removeImages(name);
    await damage(name, first, () => null);
    const before = await filesOf(name);
    const { error } = await startWorker().open(name);
    expect([error?.code, error?.message]).toEqual([
      'EIO',
      expect.stringMatching(/^EIO: nothing of this workspace can be opened/),
    ]);
    expect(await filesOf(name)).toEqual(before);
  });
});
