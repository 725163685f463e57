// Streams in one process. What is appended is read back, alone or with a commit. The tests also
// show what is refused, forks, and what is kept of streams in the log.
import { describe, expect, it } from 'vitest';
import { SdkError } from '../../../src/core/errors.ts';
import { createWriterWorkspace } from '../../../src/workspace/commit/writer-workspace.ts';
import { createMemoryMedium } from '../../../src/workspace/drivers/memory.ts';
import type { LogMedium } from '../../../src/workspace/log/log-medium.ts';
import type {
  NewStreamEntry,
  StreamEntry,
  WorkspaceStreams,
} from '../../../src/workspace/streams.ts';
import { openTestWriter } from '../../support/files/workspaces.ts';

const author = { kind: 'agent' } as const;

async function open(medium: LogMedium = createMemoryMedium()) {
  const writer = await openTestWriter(medium);
  const workspace = createWriterWorkspace(writer);
  return { medium, writer, workspace, streams: workspace.streams };
}

function entriesOf(...values: readonly unknown[]): NewStreamEntry[] {
  return values.map((value) => ({ value }));
}

async function readAll(streams: WorkspaceStreams, id: string, from?: number) {
  const entries: StreamEntry[] = [];
  for await (const entry of streams.read(id, from)) entries.push(entry);
  return entries;
}

async function valuesOf(streams: WorkspaceStreams, id: string, from?: number) {
  return (await readAll(streams, id, from)).map(({ value }) => value);
}

/** What it was refused with. */
async function errorOf(operation: Promise<unknown>): Promise<SdkError> {
  const error: unknown = await operation.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (SdkError.isInstance(error)) return error;
  throw new Error(`Not refused with an SdkError: ${String(error)}`);
}

/** So long that a few of them fill a pack. */
const long = (name: number) => `${name} ${'x'.repeat(10_000)}`;

describe('a stream', () => {
  it('is read as it was appended, from any entry on', async () => {
    const { streams } = await open();
    const values = [{ a: [1, null, 'ü\ud800', { b: true }] }, 'two', 3, null];
    expect(await streams.append('s', entriesOf(values[0], values[1]), { at: 0 })).toEqual({
      length: 2,
    });
    await streams.append('s', entriesOf(values[2], values[3]), { at: 2 });
    expect(await readAll(streams, 's')).toEqual(values.map((value, at) => ({ n: at + 1, value })));
    expect(await valuesOf(streams, 's', 3)).toEqual([3, null]);
    expect(await valuesOf(streams, 's', 5)).toEqual([]);
  });

  it('takes no number of a commit and moves no view', async () => {
    const { streams, workspace, writer } = await open();
    await workspace.fs.writeFile('/f', 'text');
    const heard: number[] = [];
    workspace.onChange(({ seq }) => heard.push(seq));
    await streams.append('s', entriesOf(1), { at: 0 });
    expect([workspace.seq(), writer.seq, heard]).toEqual([1, 1, []]);
  });

  it('has one entry after the other, however many are appended at once', async () => {
    const { streams } = await open();
    const appends = Array.from({ length: 500 }, (_, at) =>
      streams.append('s', entriesOf({ at }), { at, durability: 'process' }),
    );
    const lengths = await Promise.all(appends);
    expect(lengths.map(({ length }) => length)).toEqual(lengths.map((_, at) => at + 1));
    expect(await valuesOf(streams, 's')).toEqual(lengths.map((_, at) => ({ at })));
  });

  it('is as it was once the workspace was opened again, packed or not, with and without an image', async () => {
    for (const count of [1, 3, 9, 40]) {
      const { medium, streams, workspace } = await open();
      const values = Array.from({ length: count }, (_, at) => long(at));
      const contents = [new Uint8Array([count, 2]), new Uint8Array(0)];
      for (const [at, value] of values.entries()) {
        await streams.append('s', [{ value, contents }], { at });
      }
      // Not closed: without an image.
      const second = await open(medium);
      const before = await readAll(second.streams, 's');
      expect(before.map(({ value }) => value)).toEqual(values);
      await second.streams.append('s', entriesOf('last'), { at: count });
      await second.workspace[Symbol.asyncDispose]();
      const third = await open(medium);
      const after = await readAll(third.streams, 's');
      expect(after).toEqual([...before, { n: count + 1, value: 'last' }]);
      for (const { contents: [first = 0, empty = 0] = [] } of before) {
        expect(await third.streams.readContent(first)).toEqual(contents[0]);
        expect(await third.streams.readContent(empty)).toEqual(contents[1]);
      }
      expect(await third.streams.list()).toEqual(await second.streams.list());
      await workspace[Symbol.asyncDispose]();
    }
  });

  it('refuses another length than it has, tells it, and is as it was', async () => {
    const { streams } = await open();
    await streams.append('s', entriesOf(1, 2), { at: 0 });
    const error = await errorOf(streams.append('s', entriesOf('no'), { at: 1 }));
    expect([error.code, error.data]).toEqual(['EFENCED', { stream: 's', length: 2, at: 1 }]);
    expect(await errorOf(streams.append('s', entriesOf('no'), { at: 3 }))).toMatchObject({
      code: 'EFENCED',
    });
    expect((await errorOf(streams.append('none', entriesOf('no'), { at: 1 }))).data).toEqual({
      stream: 'none',
      length: 0,
      at: 1,
    });
    expect([await valuesOf(streams, 's'), (await streams.list()).length]).toEqual([[1, 2], 1]);
    // The workspace itself has lost nothing.
    await streams.append('s', entriesOf(3), { at: 2 });
  });

  it('is dropped with its id free again, and its forks stay', async () => {
    const { streams } = await open();
    await streams.append('s', entriesOf(...Array.from({ length: 20 }, (_, at) => long(at))), {
      at: 0,
    });
    await streams.fork('s', 'fork');
    await streams.drop('s');
    expect((await streams.list()).map(({ id }) => id)).toEqual(['fork']);
    expect((await errorOf(valuesOf(streams, 's'))).code).toBe('invalid-input');
    expect((await errorOf(streams.drop('s'))).code).toBe('invalid-input');
    await streams.append('s', entriesOf('new'), { at: 0 });
    expect(await valuesOf(streams, 's')).toEqual(['new']);
    expect((await valuesOf(streams, 'fork')).length).toBe(20);
  });
});

describe('a fork of a stream', () => {
  it('begins with as many entries as asked for, wherever a pack ends, and goes on by itself', async () => {
    const { medium, streams, workspace } = await open();
    const values = Array.from({ length: 11 }, (_, at) => long(at));
    for (const [at, value] of values.entries()) {
      await streams.append('s', [{ value, contents: [new Uint8Array([at])] }], { at });
    }
    for (let length = 1; length <= 11; length += 1) {
      const id = `fork/${length}`;
      expect(await streams.fork('s', id, { length })).toEqual({ length });
      await streams.append(id, entriesOf('own', long(1), long(2), long(3), long(4)), {
        at: length,
      });
    }
    await streams.drop('s');
    await workspace[Symbol.asyncDispose]();
    const again = await open(medium);
    for (let length = 1; length <= 11; length += 1) {
      const entries = await readAll(again.streams, `fork/${length}`);
      expect(entries.map(({ value }) => value)).toEqual([
        ...values.slice(0, length),
        ...['own', long(1), long(2), long(3), long(4)],
      ]);
      const [last = 0] = entries[length - 1]?.contents ?? [];
      expect(await again.streams.readContent(last)).toEqual(new Uint8Array([length - 1]));
    }
    const [first] = await again.streams.list();
    expect(first).toMatchObject({ id: 'fork/1', forkedFrom: { id: 's', length: 1 } });
  });

  it('is refused where the id is taken, the source is missing or too short', async () => {
    const { streams } = await open();
    await streams.append('s', entriesOf(1), { at: 0 });
    const refused = [
      streams.fork('s', 's'),
      streams.fork('none', 'new'),
      streams.fork('s', 'new', { length: 2 }),
      streams.fork('s', 'new', { length: 0 }),
    ];
    for (const fork of refused) expect((await errorOf(fork)).code).toBe('invalid-input');
    expect((await streams.list()).length).toBe(1);
  });
});

describe('a commit with an append', () => {
  const write = (path: string, text: string, baseVersion = 0) =>
    ({
      baseSeq: 0,
      changes: [
        {
          type: 'write',
          path,
          baseVersion,
          content: new TextEncoder().encode(text),
          mode: 0o644,
          mtimeMs: 1,
        },
      ],
    }) as const;

  it('lands with its files in one record', async () => {
    const { medium, workspace, streams } = await open();
    const contents = [new Uint8Array([7])];
    const append = { stream: 's', at: 0, entries: [{ value: 'settled', contents }] };
    expect(await workspace.commit(write('/f', 'text'), { author, append })).toEqual({ seq: 1 });
    await streams.append('s', entriesOf('next'), { at: 1 });
    const { workspace: again } = await open(medium);
    expect(await again.fs.readFile('/f', 'utf8')).toBe('text');
    const [first, second] = await readAll(again.streams, 's');
    expect([first?.value, second?.value]).toEqual(['settled', 'next']);
    expect(await again.streams.readContent(first?.contents?.[0] ?? 0)).toEqual(contents[0]);
  });

  it('lands not at all where either of the two is refused', async () => {
    const { workspace, streams } = await open();
    await streams.append('s', entriesOf(1), { at: 0 });
    await workspace.fs.writeFile('/taken', 'old');
    const append = (at: number) => ({ stream: 's', at, entries: entriesOf('no') });
    const fenced = workspace.commit(write('/f', 'text'), { author, append: append(0) });
    expect((await errorOf(fenced)).data).toEqual({ stream: 's', length: 1, at: 0 });
    const conflicting = workspace.commit(write('/taken', 'new'), { author, append: append(1) });
    expect((await errorOf(conflicting)).code).toBe('ECONFLICT');
    // A writer that has lost its stream hears of that, whatever its files are.
    const both = workspace.commit(write('/taken', 'new'), { author, append: append(0) });
    expect((await errorOf(both)).code).toBe('EFENCED');
    expect(await workspace.fs.readdir('/')).toEqual(['taken']);
    expect(await valuesOf(streams, 's')).toEqual([1]);
  });

  it('is an append alone where it changes no file', async () => {
    const { workspace, streams } = await open();
    const append = { stream: 's', at: 0, entries: entriesOf(1) };
    const none = { baseSeq: 0, changes: [] };
    expect(await workspace.commit(none, { author, append })).toEqual({ seq: 0 });
    expect(await valuesOf(streams, 's')).toEqual([1]);
  });

  it('may be a change of the roots', async () => {
    const { workspace, streams } = await open();
    await workspace.fs.writeFile('/f', 'old');
    const noted = (at: number, value: string) => ({
      author,
      append: { stream: 's', at, entries: entriesOf(value) },
    });
    const checkpoint = await workspace.roots.checkpoint('c', noted(0, 'checkpoint'));
    await workspace.fs.writeFile('/f', 'new');
    const fenced = workspace.roots.rewind(checkpoint.id, noted(0, 'no'));
    expect((await errorOf(fenced)).data).toMatchObject({ stream: 's', length: 1 });
    expect(await workspace.fs.readFile('/f', 'utf8')).toBe('new');
    await workspace.roots.rewind(checkpoint.id, noted(1, 'rewound'));
    const branch = await workspace.roots.branch('b', noted(2, 'branch'));
    await workspace.roots.merge(branch.id, noted(3, 'merged, and nothing was new'));
    await workspace.roots.drop(branch.id, noted(4, 'dropped'));
    expect(await workspace.fs.readFile('/f', 'utf8')).toBe('old');
    expect(await valuesOf(streams, 's')).toEqual([
      'checkpoint',
      'rewound',
      'branch',
      'merged, and nothing was new',
      'dropped',
    ]);
  });

  it('is applied once, alone or with files, when its client sends it again', async () => {
    const { medium, writer, workspace } = await open();
    const origin = (number: number) => ({ client: 'tab', number });
    const append = (at: number) => ({ stream: 's', at, entries: entriesOf(at) });
    const alone = { type: 'append', ...append(0) } as const;
    await writer.changeStream(alone, { origin: origin(1) });
    await writer.changeStream(alone, { origin: origin(1) });
    const options = { author, append: append(1), origin: origin(2) };
    expect(await workspace.commit(write('/f', 'text'), options)).toEqual({ seq: 1 });
    expect(await workspace.commit(write('/f', 'text'), options)).toEqual({ seq: 1 });
    const again = await open(medium);
    await again.writer.changeStream(alone, { origin: origin(1) });
    expect(await again.workspace.commit(write('/f', 'text'), options)).toEqual({ seq: 1 });
    expect(await valuesOf(again.streams, 's')).toEqual([0, 1]);
  });
});

describe('what is asked of streams', () => {
  const cycle: Record<string, unknown> = {};
  cycle['self'] = [cycle];
  let deep: unknown = 0;
  for (let depth = 0; depth < 2000; depth += 1) deep = [deep];

  it.each([
    ['undefined', undefined],
    ['a hole', [1, , 2]], // oxlint-disable-line no-sparse-arrays -- it is what is tested
    ['not a number', { a: Number.NaN }],
    ['infinity', [Number.POSITIVE_INFINITY]],
    ['a bigint', 1n],
    ['a function', { toJSON: () => 1 }],
    ['a date', new Date(0)],
    ['a map', new Map([[1, 2]])],
    ['bytes', new Uint8Array(2)],
    ['a cycle', cycle],
    ['too deep', deep],
    ['too long', 'x'.repeat(1_048_576)],
  ])('is refused as a value: %s', async (_name, value) => {
    const { streams } = await open();
    const error = await errorOf(streams.append('s', entriesOf('fine', value), { at: 0 }));
    expect([error.code, error.message.includes('ntry 1')]).toEqual(['invalid-input', true]);
    expect(await streams.list()).toEqual([]);
  });

  it('may be any other JSON; an undefined member is left out', async () => {
    const { streams } = await open();
    const value = JSON.parse('{"__proto__":{"x":1},"a":[{},[],""],"b":-1e300}') as unknown;
    await streams.append('s', entriesOf(value, { kept: 1, left: undefined }), { at: 0 });
    expect(await valuesOf(streams, 's')).toStrictEqual([value, { kept: 1 }]);
    expect(({} as { x?: number }).x).toBe(undefined);
  });

  it.each(['', '/', 'a/', '/a', 'a//b', '..', 'a.b', 'ä', 'x'.repeat(129), 7, null, {}])(
    'is refused as an id: %j',
    async (id) => {
      const { streams } = await open();
      const made = streams.append(id as string, entriesOf(1), { at: 0 });
      expect((await errorOf(made)).code).toBe('invalid-input');
    },
  );

  it('is refused with anything that makes no sense', async () => {
    const { streams, workspace } = await open();
    const bad = (...parameters: readonly unknown[]) =>
      errorOf(streams.append(...(parameters as Parameters<WorkspaceStreams['append']>)));
    const refused = [
      bad('s', entriesOf(1)),
      bad('s', entriesOf(1), { at: -1 }),
      bad('s', entriesOf(1), { at: 0.5 }),
      bad('s', entriesOf(1), { at: 0, durability: 'none' }),
      bad('s', [], { at: 0 }),
      bad('s', { length: 1 }, { at: 0 }),
      bad('s', [null], { at: 0 }),
      bad('s', [{ value: 1, contents: [[1]] }], { at: 0 }),
      bad('s', [{ value: 1, contents: new Uint8Array(1) }], { at: 0 }),
      errorOf(
        workspace.commit({ baseSeq: 0, changes: [] }, { author, append: 'x' as unknown as never }),
      ),
      errorOf(valuesOf(streams, 's', 0)),
      errorOf(streams.readContent(99)),
      errorOf(streams.readContent('1' as unknown as number)),
    ];
    for (const error of await Promise.all(refused)) expect(error.code).toBe('invalid-input');
    expect(await streams.list()).toEqual([]);
  });
});
