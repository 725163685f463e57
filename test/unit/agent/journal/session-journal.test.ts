import { describe, expect, test } from 'vitest';
import { SessionFold } from '../../../../src/agent/journal/fold.ts';
import {
  decodeRecord,
  encodeRecord,
  unpackLarge,
} from '../../../../src/agent/journal/journal-codec.ts';
import { createSessionJournal } from '../../../../src/agent/journal/session-journal.ts';
import type { JournalAppend } from '../../../../src/agent/journal/session-journal.ts';
import { SdkError } from '../../../../src/core/errors.ts';
import type { JournalEntry, JournalRecord } from '../../../../src/core/session/journal.ts';

const note = (text: string): JournalRecord => ({
  type: 'context',
  source: 'test',
  messages: [{ role: 'user', content: text }],
});

/** Keeps what it is given, and lands it when it is told to. */
function createStore() {
  const appends: JournalAppend[] = [];
  const landings: { readonly land: () => void; readonly fail: (error: unknown) => void }[] = [];
  return {
    stream: 'journal',
    appends,
    landings,
    append(append: JournalAppend) {
      appends.push(append);
      return new Promise<void>((land, fail) => landings.push({ land, fail }));
    },
  };
}

const open = (store?: ReturnType<typeof createStore>) =>
  createSessionJournal({ fold: new SessionFold(), store, clock: { now: () => 7 } });

const flush = () => new Promise<void>((resolve) => setTimeout(resolve));

describe('a session journal', () => {
  test('folds at once, and appends in order, what comes meanwhile together', async () => {
    const store = createStore();
    const journal = open(store);
    void journal.record(note('a'));
    void journal.record(note('b'), note('c'));
    expect(journal.fold.messages.map(({ content }) => content)).toEqual(['a', 'b', 'c']);
    expect(store.appends.map(({ at, entries }) => [at, entries.length])).toEqual([[0, 1]]);
    store.landings[0]?.land();
    await flush();
    expect(store.appends.map(({ at, entries }) => [at, entries.length])).toEqual([
      [0, 1],
      [1, 2],
    ]);
  });

  test('records with a commit only what the commit has landed', async () => {
    const store = createStore();
    const journal = open(store);
    const refused = journal.recordWith([note('lost')], () => Promise.reject(new Error('conflict')));
    const later = journal.record(note('kept'));
    await expect(refused).rejects.toThrow('conflict');
    await later;
    expect(journal.fold.messages.map(({ content }) => content)).toEqual(['kept']);
    const appends: (JournalAppend | undefined)[] = [];
    store.landings[0]?.land();
    await journal.recordWith([note('with')], (append) => {
      appends.push(append);
      return Promise.resolve({ seq: 7 });
    });
    expect(appends.map((append) => append?.at)).toEqual([1]);
    expect(journal.fold.entries.map(({ n, seq }) => [n, seq])).toEqual([
      [1, undefined],
      [2, 7],
    ]);
  });

  test('is broken by an append that fails: nothing is recorded afterwards', async () => {
    const store = createStore();
    const journal = open(store);
    const safe = journal.recordSafely(note('a'));
    await flush();
    store.landings[0]?.fail(new SdkError('ENOSPC', 'The medium is full.'));
    await expect(safe).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(journal.broken.aborted).toBe(true);
    await expect(journal.record(note('b'))).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(journal.fold.length).toBe(1);
  });

  test('is broken by another writer, also in a commit', async () => {
    const journal = open(createStore());
    const fenced = new SdkError('EFENCED', 'Another writer.');
    await expect(
      journal.recordWith([note('a')], () => Promise.reject(fenced)),
    ).rejects.toMatchObject({ code: 'EFENCED' });
    expect(journal.broken.aborted).toBe(true);
  });
});

const deep = JSON.parse(`${'['.repeat(2_000)}${']'.repeat(2_000)}`) as unknown;

describe('the codec', () => {
  test.each<[string, unknown]>([
    ['plain data', { a: [1, null, 'x'], b: { c: true } }],
    ['a long text with half a pair', { text: `${'x'.repeat(70_000)}\ud800` }],
    ['data that looks like a mark', { deep: { $text: 0 }, other: { $value: { $bytes: 1 } } }],
    ['deep data', { deep }],
    ['many texts', { all: Array.from({ length: 40 }, () => 'x'.repeat(60_000)), $record: 0 }],
    [
      'many texts, some of them long',
      { all: ['x'.repeat(70_000), ...Array(9).fill('y'.repeat(60_000))] },
    ],
  ])('gives back %s', async (_, record) => {
    const { value, contents } = encodeRecord(record);
    const stored: unknown = JSON.parse(JSON.stringify(value));
    const ids = contents.map((__, index) => index);
    const read = (id: number) => Promise.resolve(contents[id] ?? new Uint8Array());
    expect(await decodeRecord(stored, ids, read)).toEqual(record);
  });

  test('gives back a field of any name, also beside a long text', async () => {
    const input: unknown = JSON.parse('{"__proto__":{"a":1},"constructor":2,"$text":3}');
    const record = { input, text: 'x'.repeat(70_000) };
    const { value, contents } = encodeRecord(record);
    const read = (id: number) => Promise.resolve(contents[id] ?? new Uint8Array());
    const decoded = await decodeRecord(value, [0], read);
    expect(JSON.stringify(decoded)).toBe(JSON.stringify(record));
  });

  test('leaves the kind of a record without large parts beside it, and whose it is', () => {
    const all = Array.from({ length: 3_000 }, (_, at) => `${at} `.padEnd(60, 'x'));
    const { value } = encodeRecord({ type: 'result', agent: 'a1', ...all });
    expect(value).toEqual({ type: 'result', agent: 'a1', $record: 0 });
  });

  test('packs the largest parts of a record alone, and leaves the rest in its place', async () => {
    const rows = Array.from({ length: 20_000 }, (_, at) => ({ at }));
    const result = { type: 'tool_result', tool_use_id: 'one', content: 'y'.repeat(60_000) };
    const shown = { rows, more: rows };
    const record = { type: 'settled', id: 'one', output: shown, result, reads: [['a', 1]] };
    const { value, contents } = encodeRecord(record);
    const output = { rows: { $record: 0 }, more: { $record: 0 } };
    expect(value).toEqual({ ...record, output });
    const read = (id: number) => Promise.resolve(contents[id] ?? new Uint8Array());
    expect(await decodeRecord(value, [0], read)).toEqual(record);
    expect(unpackLarge({ value, contents })).toEqual({ value: record, contents: [] });
  });

  test('keeps an entry within a mebibyte, and leaves out what is no data', () => {
    const large = encodeRecord({ all: Array.from({ length: 40 }, () => '\0'.repeat(60_000)) });
    expect(JSON.stringify(large.value).length).toBeLessThan(1_048_576);
    const odd = { none: undefined, run: () => 1, not: Number.NaN, list: [undefined], big: 1n };
    expect(encodeRecord(odd).value).toEqual({ not: null, list: [null], big: '1' });
  });

  test('keeps a long text once that stands twice in an entry', async () => {
    const [text, other] = ['x'.repeat(70_000), 'y'.repeat(70_000)];
    const record = { output: { text }, result: [text, other] };
    const { value, contents } = encodeRecord(record);
    expect(contents.map(({ length }) => length)).toEqual([140_000, 140_000]);
    const read = (id: number) => Promise.resolve(contents[id] ?? new Uint8Array());
    expect(await decodeRecord(value, [0, 1], read)).toEqual(record);
  });

  test('leaves bytes where they are stored', async () => {
    const { value, contents } = encodeRecord({ vm: { bytes: new Uint8Array([1, 2]) } });
    expect(contents).toEqual([new Uint8Array([1, 2])]);
    const read = () => Promise.reject(new Error('not read'));
    expect(await decodeRecord(value, [41], read)).toEqual({ vm: { bytes: { contentId: 41 } } });
  });
});

describe('the fold', () => {
  const fold = (...records: readonly JournalRecord[]) => {
    const folded = new SessionFold();
    for (const [index, record] of records.entries()) {
      folded.apply({ ...record, n: index + 1, time: index } as JournalEntry);
    }
    return folded;
  };
  const words = ({ messages }: SessionFold) => messages.map(({ content }) => content);

  test('goes on from the entry that it was rewound to, and back again', () => {
    const rewind: JournalRecord = { type: 'rewound', to: 1 };
    expect(words(fold(note('a'), note('b'), rewind, note('c')))).toEqual(['a', 'c']);
    const undo: JournalRecord = { type: 'rewound', to: 2 };
    expect(words(fold(note('a'), note('b'), rewind, note('c'), undo, note('d')))).toEqual([
      'a',
      'b',
      'd',
    ]);
  });

  test('goes by a rewind to where that went, also where it ends with it', () => {
    const to = (n: number): JournalRecord => ({ type: 'rewound', to: n });
    // The second rewind follows the first at once; the third takes the second back.
    const entries = [note('a'), note('b'), note('c'), to(2), to(1), to(4), note('d')];
    expect(words(fold(...entries))).toEqual(['a', 'b', 'd']);
  });

  test('leaves the sandbox as it was where a rewind says so, also when that is rewound to', () => {
    const kept = (name: string): JournalRecord => ({
      type: 'settled',
      id: name,
      tool: 'Repl',
      state: 'output-available',
      result: { type: 'tool_result', tool_use_id: name, content: '' },
      reads: [],
      kept: [name],
    });
    const to = (n: number, vm: boolean): JournalRecord => ({
      type: 'rewound',
      to: n,
      ...(vm && { vm }),
    });
    const names = (...entries: readonly JournalRecord[]) =>
      fold(...entries).kept.get('Repl')?.names;
    const entries = [kept('x'), kept('y'), to(1, false)];
    expect(names(...entries)).toEqual(['y']);
    expect(names(...entries, kept('z'), to(3, true))).toEqual(['y']);
    expect(names(...entries, kept('z'), to(3, false))).toEqual(['z']);
    expect(names(...entries, kept('z'), to(1, true))).toEqual(['x']);
  });

  test('has a summary in the place of what was compacted, once', () => {
    const compacted = (keepFrom: number, text: string): JournalRecord => ({
      type: 'compacted',
      keepFrom,
      summary: [{ role: 'user', content: text }],
      trigger: 'auto',
    });
    const twice = fold(note('a'), note('b'), compacted(2, 'A'), note('c'), compacted(4, 'AB'));
    expect(words(twice)).toEqual(['AB', 'c']);
  });

  test('refuses an entry out of order', () => {
    expect(() => new SessionFold().apply({ ...note('a'), n: 2, time: 0 })).toThrow(TypeError);
  });
});
