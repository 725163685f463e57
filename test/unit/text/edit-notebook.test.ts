import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editNotebook } from '../../../src/text/edit-notebook.ts';
import type { NotebookChange } from '../../../src/text/edit-notebook.ts';
import { findArray } from '../../../src/text/json-spans.ts';
import { parseNotebook } from '../../../src/text/notebook.ts';

const code = (id: string | undefined, source: unknown, more: object = {}) => ({
  cell_type: 'code',
  execution_count: 3,
  ...(id !== undefined && { id }),
  metadata: { tags: ['x'] },
  outputs: [{ name: 'stdout', output_type: 'stream', text: ['1\n'] }],
  source,
  ...more,
});
const note = (id: string, source: unknown, more: object = {}) => ({
  cell_type: 'markdown',
  id,
  metadata: {},
  source,
  ...more,
});
const notebook = (cells: readonly unknown[], more: object = {}) => ({
  cells,
  metadata: { language_info: { name: 'julia' } },
  nbformat: 4,
  nbformat_minor: 5,
  ...more,
});

/** As Jupyter writes it. */
const asText = (value: unknown, indent: number | string = 1) =>
  `${JSON.stringify(value, null, indent)}\n`;

const edit = (text: string, change: Partial<NotebookChange>) =>
  editNotebook(text, '/a.ipynb', { mode: 'replace', source: '', ...change });

const two = [code('one', ['a = 1\n', 'a']), note('two', ['# Two'])];

describe('a cell that is replaced', () => {
  it('has the new source, and no output of the old one', () => {
    const edited = edit(asText(notebook(two)), { cellId: 'one', source: 'b = 2\nb\n' });
    const after = code('one', ['b = 2\n', 'b\n'], { execution_count: null, outputs: [] });
    expect(edited).toEqual({
      text: asText(notebook([after, two[1]])),
      cellId: 'one',
      cellType: 'code',
      oldSource: 'a = 1\na',
      language: 'julia',
    });
  });

  it('keeps its source one string where it was one', () => {
    const before = notebook([note('two', 'old')]);
    const { text } = edit(asText(before), { cellId: 'two', source: 'new\nlines' });
    expect(text).toBe(asText(notebook([note('two', 'new\nlines')])));
  });

  it('may become the other kind, with what belongs to it', () => {
    const before = notebook([note('two', ['x'], { attachments: { a: {} } }), two[0]]);
    const asCode = edit(asText(before), { cellId: 'two', cellType: 'code', source: '1' });
    expect(JSON.parse(asCode.text).cells[0]).toEqual({
      ...{ cell_type: 'code', id: 'two', metadata: {}, source: ['1'] },
      ...{ execution_count: null, outputs: [] },
    });
    const asNote = edit(asText(before), { cellId: 'one', cellType: 'markdown', source: '' });
    expect(JSON.parse(asNote.text).cells[1]).toEqual({
      ...{ cell_type: 'markdown', id: 'one', metadata: { tags: ['x'] }, source: [] },
    });
  });

  it.each<[string, number | string | undefined]>([
    ['one blank', 1],
    ['tabs', '\t'],
    ['one line', undefined],
  ])('keeps the rest of it as it is written, large numbers too: %s', (_what, indent) => {
    const before = JSON.stringify(
      notebook([note('two', 'old', { metadata: { big: 'BIG', list: [1, { a: 'BIG' }] } })]),
      null,
      indent,
    ).replaceAll('"BIG"', '12345678901234567890.0');
    const { text } = edit(before, { cellId: 'two', source: 'new' });
    expect(text).toBe(before.replace('"old"', '"new"'));
  });

  it('gets a kind where it has none and the change says one', () => {
    const { cell_type: _none, ...bare } = note('two', 'old');
    const edited = edit(asText(notebook([bare])), {
      cellId: 'two',
      cellType: 'markdown',
      source: 'new',
    });
    expect(edited.cellType).toBe('markdown');
    expect(JSON.parse(edited.text).cells).toEqual([note('two', 'new')]);
  });

  it('is named by its place where it has no id', () => {
    const old = {
      ...notebook([code(undefined, ['1']), code(undefined, ['2'])]),
      nbformat_minor: 2,
    };
    const { text, cellId } = edit(asText(old), { cellId: 'cell-1', source: '3' });
    expect([cellId, parseNotebook(text, 10_000)?.map(({ source }) => source)]).toEqual([
      'cell-1',
      ['1', '3'],
    ]);
  });
});

describe('a cell that is inserted', () => {
  it('stands after the one that is named, or first', () => {
    const text = asText(notebook(two));
    const after = edit(text, { mode: 'insert', cellId: 'one', cellType: 'code', source: 'x' });
    expect(after.cellId).toMatch(/^[0-9a-f]{8}$/);
    const fresh = { execution_count: null, outputs: [], metadata: {} };
    const added = { cell_type: 'code', ...fresh, id: after.cellId, source: ['x'] };
    const keys = ['cell_type', 'execution_count', 'id', 'metadata', 'outputs', 'source'];
    const sorted = Object.fromEntries(keys.map((key) => [key, added[key as keyof typeof added]]));
    expect(after.text).toBe(asText(notebook([two[0], sorted, two[1]])));
    const first = edit(text, { mode: 'insert', cellType: 'markdown', source: 'x\ny' });
    expect(first.text).toBe(asText(notebook([note(first.cellId, ['x\n', 'y']), ...two])));
    expect(first.oldSource).toBeUndefined();
  });

  it('may be the only one', () => {
    const { text, cellId } = edit(asText(notebook([])), { mode: 'insert', cellType: 'markdown' });
    expect(text).toBe(asText(notebook([note(cellId, [])])));
  });

  it('gets no id where the format has none, and is named by its place', () => {
    const old = { ...notebook([code(undefined, ['1'])]), nbformat_minor: 4 };
    const edited = edit(asText(old), { mode: 'insert', cellId: 'cell-0', cellType: 'markdown' });
    expect(edited.cellId).toBe('cell-1');
    expect(edited.text).not.toContain('"id"');
  });
});

describe('a cell that is deleted', () => {
  it.each([
    ['first', 'one', [two[1]]],
    ['last', 'two', [two[0]]],
  ])('goes with its comma: %s', (_which, cellId, left) => {
    const edited = edit(asText(notebook(two)), { mode: 'delete', cellId });
    expect(edited.text).toBe(asText(notebook(left)));
  });

  it('leaves an empty list where it was the only one', () => {
    const { text } = edit(asText(notebook([two[0]])), { mode: 'delete', cellId: 'one' });
    expect(text).toBe(asText(notebook([])));
  });
});

describe('all else', () => {
  it.each<[string, string]>([
    ['tabs', asText(notebook(two), '\t')],
    ['four blanks', asText(notebook(two), 4)],
    ['Windows line ends', asText(notebook(two)).replaceAll('\n', '\r\n')],
    ['one line', JSON.stringify(notebook(two))],
  ])('is written as the notebook is: %s', (_what, text) => {
    const first = edit(text, { mode: 'insert', cellType: 'markdown', source: 'x' });
    expect(edit(first.text, { mode: 'delete', cellId: first.cellId }).text).toBe(text);
    const last = edit(text, { mode: 'insert', cellId: 'two', cellType: 'code', source: 'x' });
    expect(edit(last.text, { mode: 'delete', cellId: last.cellId }).text).toBe(text);
    const replaced = edit(text, { cellId: 'two', source: 'new' });
    expect(edit(replaced.text, { cellId: 'two', source: '# Two' }).text).toBe(text);
  });

  it('stays byte for byte: numbers that JavaScript can’t hold, odd spacing, a doubled key', () => {
    const odd = String.raw`{"cells":[ {"cell_type":"code","id":"a","metadata":{"big":12345678901234567890},
 "outputs":[{"data":{"text/plain":"1.0 \" ] } \\"},"n":1.0}],"source":"s"} ,
  {"cell_type":"markdown","id":"b","metadata":{},"source":"old"}],"x":1.50,"nbformat":4,"nbformat_minor":5}`;
    const { text } = edit(odd, { cellId: 'b', source: 'new' });
    expect(text).toBe(odd.replace('"old"', '"new"'));
  });

  it('is found whatever stands in strings around it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), fc.array(fc.jsonValue()), (other, key, cells) => {
        const value = { [`a${key}`]: other, cells, z: other };
        for (const text of [JSON.stringify(value), asText(value, '\t')]) {
          const found = findArray(text, 'cells');
          expect(found?.items.map(({ start, end }) => JSON.parse(text.slice(start, end)))).toEqual(
            JSON.parse(JSON.stringify(cells)),
          );
          expect(JSON.parse(text.slice(found?.start, found?.end))).toEqual(
            JSON.parse(JSON.stringify(cells)),
          );
        }
      }),
    );
  });

  it('takes a string of megabytes in its stride', () => {
    const png = 'A'.repeat(8_000_000);
    const text = asText(notebook([code('one', [], { outputs: [{ data: { png } }] }), two[1]]));
    expect(edit(text, { cellId: 'two', source: 'new' }).text.length).toBeGreaterThan(8_000_000);
  });
});

describe('editNotebook refuses', () => {
  const text = asText(notebook([...two, note('two', '')]));
  const kindless = asText(notebook([{ id: 'bare', metadata: {}, source: '' }]));
  it.each<[string, string, Partial<NotebookChange>, RegExp]>([
    ['what is no JSON', '{', { cellId: 'a' }, /isn't valid JSON/],
    ['what has no cells', '{"worksheets": []}', { cellId: 'a' }, /no notebook of format 4/],
    ['cells that are no list', '{"cells": {}}', { cellId: 'a' }, /no notebook of format 4/],
    [
      'a cell that isn’t there',
      text,
      { cellId: 'none' },
      /no cell has the id none\. It has one, two, two/,
    ],
    ['an id that two cells have', text, { cellId: 'two' }, /2 cells have the id two/],
    ['no cell', text, {}, /cell_id is needed/],
    ['a cell of no kind', kindless, { cellId: 'bare' }, /the cell bare has no cell_type/],
    [
      'to delete one',
      kindless,
      { mode: 'delete', cellId: 'bare' },
      /the cell bare has no cell_type: say cell_type/,
    ],
    ['a new cell of no kind', text, { mode: 'insert' }, /needs cell_type/],
  ])('%s', (_what, before, change, message) => {
    expect(() => edit(before, change)).toThrow(
      expect.objectContaining({ code: 'invalid-input', message: expect.stringMatching(message) }),
    );
  });
});
