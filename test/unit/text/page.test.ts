import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseNotebook } from '../../../src/text/notebook.ts';
import { takePage } from '../../../src/text/page.ts';

const page = (text: string, startLine: number, maxLines = Infinity, maxBytes = 1000) =>
  takePage(text, { startLine, maxLines, maxBytes, bytesPerLine: 1 });

describe('takePage', () => {
  it.each([
    ['a\nb\n', 1, Infinity, { content: 'a\nb', numLines: 2, totalLines: 2, isCut: false }],
    ['a\nb', 2, Infinity, { content: 'b', numLines: 1, totalLines: 2, isCut: false }],
    ['a\n\nc\n', 2, 1, { content: '', numLines: 1, totalLines: 3, isCut: false }],
    ['a\nb\nc', 1, 2, { content: 'a\nb', numLines: 2, totalLines: 3, isCut: false }],
    ['a', 5, Infinity, { content: '', numLines: 0, totalLines: 1, isCut: false }],
    ['', 1, Infinity, { content: '', numLines: 0, totalLines: 0, isCut: false }],
    ['\n', 1, Infinity, { content: '', numLines: 1, totalLines: 1, isCut: false }],
  ])('of %j from line %i, at most %d', (text, startLine, maxLines, expected) => {
    expect(page(text, startLine, maxLines)).toEqual(expected);
  });

  it('counts bytes, so that text of any script fits', () => {
    expect(page('ééé\nb', 1, Infinity, 7)).toMatchObject({ content: 'ééé', isCut: true });
    expect(page('ééé\nb', 1, Infinity, 9)).toMatchObject({ content: 'ééé\nb', isCut: false });
  });

  it('cuts a line that alone is too long, never through a character', () => {
    const cut = page('x\u{1f469}'.repeat(100), 1, Infinity, 6);
    expect(cut).toEqual({ content: 'x', numLines: 0, totalLines: 1, isCut: true });
  });

  it('loses no line and gives none twice, in pages of any size', () => {
    const line = fc.string({ maxLength: 12 }).map((text) => text.replace(/\n/g, ' '));
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 1 }),
        fc.integer({ min: 40, max: 90 }),
        (lines, maxBytes) => {
          const text = `${lines.join('\n')}\n`;
          const seen: string[] = [];
          for (let at = 1; at <= lines.length;) {
            const { content, numLines } = page(text, at, Infinity, maxBytes);
            expect(numLines).toBeGreaterThan(0);
            expect(new TextEncoder().encode(content).length).toBeLessThanOrEqual(maxBytes);
            seen.push(...content.split('\n'));
            at += numLines;
          }
          expect(seen).toEqual(lines);
        },
      ),
    );
  });
});

describe('parseNotebook', () => {
  const parse = (cells: unknown) => parseNotebook(JSON.stringify({ cells }), 10_000);

  it('shows outputs of every kind as text', () => {
    const outputs = [
      { output_type: 'stream', text: ['one\n', 'two\n'] },
      { output_type: 'execute_result', data: { 'text/plain': ['42'] } },
      { output_type: 'display_data', data: { 'image/png': 'AAAA', 'text/plain': '<Figure>' } },
      { output_type: 'error', ename: 'ValueError', evalue: 'no' },
      { output_type: 'unheard-of' },
    ];
    expect(parse([{ cell_type: 'code', source: '', outputs }])).toEqual([
      {
        id: 'cell-0',
        cellType: 'code',
        source: '',
        outputText: 'one\ntwo\n42\n<Figure> [image/png, not shown]\nValueError: no',
      },
    ]);
  });

  it('clips an output that is a dump', () => {
    const [cell] =
      parse([{ outputs: [{ output_type: 'stream', text: 'x'.repeat(12_000) }] }]) ?? [];
    expect(cell?.outputText).toBe(`${'x'.repeat(10_000)}\n[2000 more characters of output]`);
  });

  it('reads what is left of a damaged notebook', () => {
    expect(parse([null, 7, { source: { a: 1 }, outputs: 'x' }])).toEqual([
      { id: 'cell-0', cellType: 'unknown', source: '' },
    ]);
  });

  it.each(['{', '[]', '{"cells": 1}', 'null'])('finds no cells in %s', (text) => {
    expect(parseNotebook(text, 10_000)).toBeUndefined();
  });
});
