// What the FS worker does with an import, without a worker. The tests show batches, their order,
// what is left of one that was stopped or failed, and what becomes of what stood there.
import { describe, expect, it } from 'vitest';
import { SdkError } from '../../../src/core/errors.ts';
import { createDeferred } from '../../../src/core/async/deferred.ts';
import { importEntries } from '../../../src/hosts/browser/fs-worker/import-entries.ts';
import type { ImportEntry, ImportProgress } from '../../../src/hosts/browser/wire/protocol.ts';
import { createMemoryMedium } from '../../../src/workspace/drivers/memory.ts';
import { createWriterWorkspace } from '../../../src/workspace/commit/writer-workspace.ts';
import type { WorkspaceWriter } from '../../../src/workspace/commit/writer.ts';
import { createRandom } from '../../support/random.ts';
import { TornDisk } from '../../support/storage/torn-medium.ts';
import { openTestWriter, withFiles } from '../../support/files/workspaces.ts';

const directory = '/project';
/** More than two batches of 1 024. */
const manyFiles = 2500;

const bytesOf = (text: string) => new TextEncoder().encode(text);
const entriesOf = (count: number): ImportEntry[] =>
  Array.from({ length: count }, (_, at) => ({
    path: `d${at % 50}/f${at}`,
    bytes: bytesOf('text'),
  }));

interface Watched {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ImportProgress) => void;
}

function load(
  writer: WorkspaceWriter,
  entries: readonly ImportEntry[],
  { signal = new AbortController().signal, onProgress = () => {} }: Watched = {},
): Promise<ImportProgress> {
  const settings = { directory, exclude: [] };
  return importEntries({ kind: 'entries', entries }, settings, writer, { signal, onProgress });
}

async function codeOf(operation: Promise<unknown>): Promise<string | undefined> {
  try {
    await operation;
    return undefined;
  } catch (error) {
    if (SdkError.isInstance(error)) return error.code;
    throw error;
  }
}

/** How many files stand below the import's directory. */
async function countFiles(writer: WorkspaceWriter): Promise<number> {
  const { fs } = createWriterWorkspace(writer);
  const entries = await fs.readdir(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).length;
}

describe('importEntries', () => {
  it('tells of each batch once it is in the tree, in order', async () => {
    const writer = await openTestWriter();
    const told: [files: number, seq: number][] = [];
    const done = await load(writer, entriesOf(manyFiles), {
      onProgress: ({ files }) => told.push([files, writer.seq]),
    });
    expect(told).toEqual([
      [1024, 1],
      [2048, 2],
      [2500, 3],
    ]);
    expect(done).toEqual({ files: 2500, bytes: 10_000, excluded: 0 });
    expect(await countFiles(writer)).toBe(2500);
  });

  it.each([1, 2, 3])('has made durable what it tells of, batch %i', async (batch) => {
    const disk = new TornDisk(createRandom(batch).below);
    let told = 0;
    let count = 0;
    await load(await openTestWriter(disk.open()), entriesOf(manyFiles), {
      onProgress({ files }) {
        told = files;
        count += 1;
        if (count === batch) disk.losePower();
      },
    }).catch(() => {});
    expect(await countFiles(await openTestWriter(disk.open()))).toBe(told);
  });

  it('leaves whole batches when it is stopped, and has told of each', async () => {
    const writer = await openTestWriter();
    const controller = new AbortController();
    let told = 0;
    const loading = load(writer, entriesOf(5000), {
      signal: controller.signal,
      onProgress({ files }) {
        told = files;
        if (files === 2048) controller.abort();
      },
    });
    expect(await codeOf(loading)).toBe('aborted');
    expect([told, await countFiles(writer)]).toEqual([2048, 2048]);
  });

  it('leaves the batches that fitted when the medium is full, and says so', async () => {
    const disk = new TornDisk();
    const writer = await openTestWriter(disk.open());
    let told = 0;
    const loading = load(writer, entriesOf(manyFiles), {
      onProgress({ files }) {
        told = files;
        if (files === 2048) disk.capacity = disk.used + 1000;
      },
    });
    expect(await codeOf(loading)).toBe('ENOSPC');
    expect([told, await countFiles(writer)]).toEqual([2048, 2048]);
    disk.capacity = Number.POSITIVE_INFINITY;
    expect(await countFiles(await openTestWriter(disk.open()))).toBe(2048);
  });

  it('reads one batch ahead while another is being written, and no more', async () => {
    const read: number[] = [];
    let readWhileWriting = 0;
    const { promise: secondIsRead, resolve: release } = createDeferred();
    const medium = withFiles(createMemoryMedium(), (file) => ({
      async append(bytes, durability) {
        // The first batch: a segment's header and what is flushed without bytes are short.
        if (bytes.length > 10_000 && readWhileWriting === 0) {
          await secondIsRead;
          readWhileWriting = read.length;
        }
        await file.append(bytes, durability);
      },
    }));
    const entries = entriesOf(4000).map(({ path }, at) => {
      const file = new Blob(['text']);
      file.arrayBuffer = async () => {
        read.push(at);
        if (read.length === 2048) release();
        return bytesOf('text').buffer;
      };
      return { path, file };
    });
    await load(await openTestWriter(medium), entries);
    expect([readWhileWriting, read.length]).toEqual([2048, 4000]);
  });

  it('ends only when the batch before the one that failed is committed and told of', async () => {
    const writer = await openTestWriter();
    const unreadable = new Blob(['text']);
    unreadable.arrayBuffer = () => Promise.reject(new SdkError('EIO', 'It is gone.'));
    const told: number[] = [];
    const loading = load(writer, [...entriesOf(1024), { path: 'gone', file: unreadable }], {
      onProgress: ({ files }) => told.push(files),
    });
    expect(await codeOf(loading)).toBe('EIO');
    expect([told, await countFiles(writer)]).toEqual([[1024], 1024]);
  });
});

describe('what an import finds in its place', () => {
  async function openProject() {
    const writer = await openTestWriter();
    const { fs } = createWriterWorkspace(writer);
    await fs.mkdir(`${directory}/src`, { recursive: true });
    return { writer, fs };
  }
  const file = (path: string, text: string, more: { mode?: number; mtimeMs?: number } = {}) => ({
    path,
    bytes: bytesOf(text),
    ...more,
  });

  it('replaces a file, and keeps its mode unless another is given', async () => {
    const { writer, fs } = await openProject();
    await fs.writeFile(`${directory}/src/a`, 'old', { mode: 0o700 });
    await fs.writeFile(`${directory}/src/b`, 'old', { mode: 0o700 });
    // An archive gives the kind of the file with its mode.
    await load(writer, [
      file('src/a', 'new', { mtimeMs: 5 }),
      file('src/b', 'new', { mode: 0o100644 }),
    ]);
    const [a, b] = [await fs.stat(`${directory}/src/a`), await fs.stat(`${directory}/src/b`)];
    expect([a.mode & 0o7777, a.mtimeMs, b.mode & 0o7777]).toEqual([0o700, 5, 0o644]);
    expect(await fs.readFile(`${directory}/src/a`, 'utf8')).toBe('new');
  });

  it('takes the last of two files of one path', async () => {
    const { writer, fs } = await openProject();
    await load(writer, [file('a', 'first'), file('a', 'second')]);
    expect(await fs.readFile(`${directory}/a`, 'utf8')).toBe('second');
  });

  it('writes through links to files and to directories', async () => {
    const { writer, fs } = await openProject();
    await fs.writeFile(`${directory}/src/a`, 'old');
    await fs.symlink('src/a', `${directory}/to-file`);
    await fs.symlink('src', `${directory}/to-directory`);
    await load(writer, [file('to-file', 'new'), file('to-directory/b', 'new')]);
    expect(await fs.readFile(`${directory}/src/a`, 'utf8')).toBe('new');
    expect(await fs.readFile(`${directory}/src/b`, 'utf8')).toBe('new');
    expect((await fs.lstat(`${directory}/to-file`)).isSymbolicLink()).toBe(true);
  });

  it('puts a link in the place of a directory, and what comes later behind the link', async () => {
    const { writer, fs } = await openProject();
    await load(writer, [
      file('old/a', 'goes'),
      { path: 'old', target: 'src' },
      file('old/b', 'stays'),
    ]);
    expect(await fs.readdir(`${directory}/src`)).toEqual(['b']);
    expect(await fs.readlink(`${directory}/old`)).toBe('src');
  });

  it.each([
    ['a file where a directory stands', [file('src', 'x')], 'EISDIR'],
    ['a directory where a file stands', [file('a', 'x'), file('a/b', 'x')], 'EEXIST'],
    ['a name of more than 255 bytes', [file('é'.repeat(128), 'x')], 'ENAMETOOLONG'],
    ['a NUL in a name', [file('a\0b', 'x')], 'ERR_INVALID_ARG_VALUE'],
    ['a mode that is none', [file('a', 'x', { mode: -1 })], 'ERR_OUT_OF_RANGE'],
    ['a time that is none', [file('a', 'x', { mtimeMs: Number.NaN })], 'ERR_INVALID_ARG_TYPE'],
  ])('refuses %s, and the batch with it', async (_what, entries, code) => {
    const { writer } = await openProject();
    const { seq } = writer;
    expect(await codeOf(load(writer, [file('first', 'x'), ...entries]))).toBe(code);
    expect(writer.seq).toBe(seq);
  });
});
