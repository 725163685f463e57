// Listeners to the streams of a workspace in one process.
import { describe, expect, it } from 'vitest';
import { createWriterWorkspace } from '../../../src/workspace/commit/writer-workspace.ts';
import { createMemoryMedium } from '../../../src/workspace/drivers/memory.ts';
import type { NewStreamEntry, StreamAppended } from '../../../src/workspace/streams.ts';
import { openTestWriter } from '../../support/files/workspaces.ts';

const author = { kind: 'agent' } as const;

async function open() {
  const workspace = createWriterWorkspace(await openTestWriter(createMemoryMedium()));
  return { workspace, streams: workspace.streams };
}

const entriesOf = (...values: readonly unknown[]): NewStreamEntry[] =>
  values.map((value) => ({ value }));

/** So long that a few of them fill a pack. */
const long = (name: number) => `${name} ${'x'.repeat(10_000)}`;

describe('a listener to appends', () => {
  it('is told of each, in order, with a commit or without, but not of what a fork took over', async () => {
    const { workspace, streams } = await open();
    await streams.append('s', entriesOf('before'), { at: 0 });
    const told: StreamAppended[] = [];
    const listening = streams.onAppend((appended) => told.push(appended));
    await streams.append('s', entriesOf('a', 'b'), { at: 1 });
    await streams.fork('s', 'fork', { length: 2 });
    const append = { stream: 'fork', at: 2, entries: entriesOf('c') };
    await workspace.commit({ baseSeq: 0, changes: [] }, { author, append });
    await streams.drop('s');
    await streams.append('s', entriesOf('again'), { at: 0 });
    listening[Symbol.dispose]();
    await streams.append('s', entriesOf('unheard'), { at: 1 });
    expect(
      told.map(({ stream, entries }) => [stream, ...entries.map(({ value }) => value)]),
    ).toEqual([
      ['s', 'a', 'b'],
      ['fork', 'c'],
      ['s', 'again'],
    ]);
    expect(told.map(({ entries: [first] }) => first?.n)).toEqual([2, 3, 1]);
  });

  it('is told of all in their order, also of those that were packed at once', async () => {
    const { streams } = await open();
    const told: unknown[] = [];
    const all = new Promise<void>((resolve) => {
      streams.onAppend(({ entries }) => {
        for (const { value } of entries) {
          told.push(value);
          if (value === 'last') resolve();
        }
      });
    });
    const values = Array.from({ length: 30 }, (_, at) => (at % 3 === 0 ? long(at) : at));
    for (const [at, value] of values.entries()) await streams.append('s', entriesOf(value), { at });
    await streams.append('s', entriesOf('last'), { at: values.length });
    await all;
    expect(told).toEqual([...values, 'last']);
  });
});

describe('a listener to changes', () => {
  it('is called for an append, a fork and a drop', async () => {
    const { workspace, streams } = await open();
    let calls = 0;
    const listening = streams.onChange(() => (calls += 1));
    await streams.append('s', entriesOf('a'), { at: 0 });
    await streams.fork('s', 'fork');
    await streams.drop('s');
    expect(calls).toBe(3);
    await workspace.fs.writeFile('/f', 'no stream');
    listening[Symbol.dispose]();
    await streams.drop('fork');
    expect(calls).toBe(3);
  });
});
