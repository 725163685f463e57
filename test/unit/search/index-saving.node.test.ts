// A realm's index beside the log: what a realm that comes later needn't read, over writers and replicas
// that speak by clones, as through ports.
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { LogMedium } from '../../../src/workspace/log/log-medium.ts';
import { createReplica, type Replica } from '../../../src/workspace/feed/replica.ts';
import { searchFiles } from '../../../src/search/search-files.ts';
import { SearchService } from '../../../src/search/search-service.ts';
import { serveFeed } from '../../../src/workspace/feed/serve-feed.ts';
import { createWriterWorkspace } from '../../../src/workspace/commit/writer-workspace.ts';
import { openWorkspaceWriter } from '../../../src/workspace/commit/writer.ts';
import { createRandom } from '../../support/random.ts';
import { TornDisk } from '../../support/storage/torn-medium.ts';
import { openAccess } from '../../support/files/workspaces.ts';

/** More than is read at once, with so many trigrams that their index is worth saving. */
const random = createRandom(7);
const texts = Array.from({ length: 64 }, (_, at) => {
  const letters = Array.from({ length: 20_000 }, () =>
    String.fromCharCode(0x61 + random.below(26)),
  );
  return `${letters.join('')} number${at}\n`;
});

/** A workspace in which one replica searches. */
async function open(medium: LogMedium) {
  const writer = await openWorkspaceWriter(medium, { name: 'test' });
  const { fs } = createWriterWorkspace(writer);
  let saved = 0;
  const replica: Replica = createReplica({
    clock: { now: () => 0, after: () => ({ [Symbol.dispose]: () => {} }) },
    saveIndex(_era, index) {
      saved += 1;
      writer.contents.saveIndex?.(structuredClone(index));
    },
    subscribe() {
      serveFeed(writer, {
        send: (message) => replica.receive(structuredClone(message)),
        onError(error) {
          throw error;
        },
      });
    },
  });
  await replica.waitFor(0);
  const service = new SearchService();
  const openFs = async () =>
    service.over(await replica.openView({ root: 'main', minSeq: writer.seq }, openAccess('/')));
  return {
    fs,
    openFs,
    saved: () => saved,
    /** How many slices had to be read to know all contents. */
    async prepare(): Promise<number> {
      let slices = 0;
      const { search } = await openFs();
      const onProgress = () => void (slices += 1);
      const { signal } = new AbortController();
      await search.prepare('/', { maxFileBytes: 1_000_000, signal, onProgress });
      return slices;
    },
    async find(pattern: string): Promise<string[]> {
      const found: string[] = [];
      const { signal } = new AbortController();
      const onFile = ({ path }: { path: string }) => void found.push(path);
      await searchFiles(await openFs(), { pattern, directory: '/' }, { signal, onFile });
      return found;
    },
    async close() {
      replica[Symbol.dispose]();
      await writer.close();
    },
  };
}

async function createSaved(): Promise<TornDisk> {
  const disk = new TornDisk();
  const first = await open(disk.open());
  for (const [at, text] of texts.entries()) await first.fs.writeFile(`/f${at}`, text);
  expect(await first.prepare()).toBe(2);
  await first.close();
  return disk;
}

afterEach(() => vi.restoreAllMocks());

describe('an index that was saved', () => {
  it('spares another realm the reading of all that it tells of', async () => {
    const disk = await createSaved();
    const second = await open(disk.open());
    expect(await second.prepare()).toBe(0);
    expect(await second.find('number17\\b')).toEqual(['/f17']);
    expect(await second.find('number99')).toEqual([]);
    expect(second.saved()).toBe(0);
  });

  it('is right of what was written after it: that alone is read', async () => {
    const disk = await createSaved();
    const second = await open(disk.open());
    await second.fs.writeFile('/f17', 'nothing');
    await second.fs.writeFile('/f18', 'number17');
    await second.close();
    const third = await open(disk.open());
    expect(await third.prepare()).toBe(1);
    expect(await third.find('number17\\b')).toEqual(['/f18']);
    expect(await third.find('nothing')).toEqual(['/f17']);
  });

  it('is saved once, and again when a quarter is new', async () => {
    const first = await open(new TornDisk().open());
    for (const [at, text] of texts.entries()) await first.fs.writeFile(`/f${at}`, text);
    await first.prepare();
    await first.prepare();
    expect(first.saved()).toBe(1);
    await first.fs.writeFile('/g', texts[0]?.replaceAll('a', '-') ?? '');
    await first.prepare();
    expect(first.saved()).toBe(1);
    for (const [at, text] of texts.entries()) await first.fs.writeFile(`/g${at}`, `${text}+`);
    await first.prepare();
    expect(first.saved()).toBe(2);
  });

  it('is saved after a search, when what it left unread was read', async () => {
    const disk = new TornDisk();
    const first = await open(disk.open());
    for (const [at, text] of texts.entries()) await first.fs.writeFile(`/f${at}`, text);
    await first.find('number17');
    await vi.waitFor(() => expect(first.saved()).toBe(1), { timeout: 240_000 });
  });

  it('is not saved where reading it takes longer than to make it anew', async () => {
    const first = await open(new TornDisk().open());
    await first.fs.writeFile('/a', 'short');
    await first.prepare();
    expect(first.saved()).toBe(0);
  });

  it('is there for the next search where the first one, and its wait, is cut', async () => {
    const disk = await createSaved();
    const second = await open(disk.open());
    const controller = new AbortController();
    const { search } = await second.openFs();
    const cut = search.prepare('/', { maxFileBytes: 1_000_000, signal: controller.signal });
    controller.abort();
    await expect(cut).rejects.toMatchObject({ code: 'aborted' });
    // Two that wait for it.
    expect(await Promise.all([second.prepare(), second.prepare()])).toEqual([0, 0]);
    expect(await second.find('number17\\b')).toEqual(['/f17']);
  });

  it('is dropped without a word where its realm ends while it is taken in', async () => {
    const told = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const second = await open((await createSaved()).open());
    const { search } = await second.openFs();
    const onProgress = vi.fn();
    const { signal } = new AbortController();
    const preparing = search.prepare('/', { maxFileBytes: 1_000_000, signal, onProgress });
    await second.close();
    await preparing;
    // A view that is still open reads by itself.
    expect(onProgress).toHaveBeenCalledTimes(2);
    expect(told).not.toHaveBeenCalled();
  });

  it('that is damaged is told, and everything is read', async () => {
    const told = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const disk = await createSaved();
    const [name, file] = [...disk.files].find(([each]) => each.startsWith('index')) ?? [];
    if (!name || !file) throw new TypeError('There is an index.');
    disk.files.set(name, { ...file, bytes: file.bytes.with(file.bytes.length >> 1, 99) });
    const second = await open(disk.open());
    expect(await second.prepare()).toBe(2);
    expect(await second.find('number17\\b')).toEqual(['/f17']);
    expect(told.mock.calls.flat().join(' ')).toContain('is damaged');
    // And takes its place.
    await second.close();
    expect(await (await open(disk.open())).prepare()).toBe(0);
  });
});
