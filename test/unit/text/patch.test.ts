import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PatchHunk } from '../../../src/core/change-set.ts';
import { countChanges } from '../../../src/core/count-changes.ts';
import { createHunks, toFileChange } from '../../../src/text/patch.ts';

const encode = (text: string) => new TextEncoder().encode(text);
const numbered = (count: number, change: (at: number) => string = String) =>
  Array.from({ length: count }, (_, at) => `${change(at)}\n`).join('');

/** The lines of `text` with the hunks applied; throws where a hunk's old lines aren't there. */
function applyHunks(text: string, hunks: readonly PatchHunk[]): string[] {
  const lines = splitLines(text);
  for (const hunk of hunks.toReversed()) {
    const old = hunk.lines.filter((line) => !line.startsWith('+')).map((line) => line.slice(1));
    const fresh = hunk.lines.filter((line) => !line.startsWith('-')).map((line) => line.slice(1));
    const removed = lines.splice(hunk.oldStart - 1, hunk.oldLines, ...fresh);
    expect(removed).toEqual(old);
    expect(fresh.length).toBe(hunk.newLines);
  }
  return lines;
}

function splitLines(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/u, '').split('\n');
}

describe('createHunks', () => {
  it('shows a change with three lines around it', () => {
    const before = numbered(9);
    expect(createHunks(before, before.replace('5', 'five'))).toEqual([
      {
        oldStart: 3,
        oldLines: 7,
        newStart: 3,
        newLines: 7,
        lines: [' 2', ' 3', ' 4', '-5', '+five', ' 6', ' 7', ' 8'],
      },
    ]);
  });

  it('shows changes that are far apart as hunks of their own', () => {
    const hunks = createHunks(
      numbered(40),
      numbered(40, (at) => (at === 5 || at === 30 ? 'x' : String(at))),
    );
    expect(hunks.map(({ oldStart, oldLines }) => [oldStart, oldLines])).toEqual([
      [3, 7],
      [28, 7],
    ]);
  });

  it('has none for equal texts, and shows a missing line end as a changed line', () => {
    expect(createHunks('a\n', 'a\n')).toEqual([]);
    expect(createHunks('a', 'a\n').map(({ lines }) => lines)).toEqual([['-a', '+a']]);
  });

  it('gives the new text when it is applied to the old one', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 30 })
      .chain((lines) =>
        fc.constantFrom('', '\n').map((end) => lines.join('\n') + (lines.length > 0 ? end : '')),
      );
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(applyHunks(before, createHunks(before, after))).toEqual(splitLines(after));
      }),
    );
  });

  it('shows each of very many changes by itself', () => {
    const before = numbered(4000, (at) => `let value${at} = one;`);
    const renamed = numbered(4000, (at) => `let value${at} = ${at % 2 === 0 ? 'one' : 'two'};`);
    const after = renamed
      .replace('let value8 = one;\n', 'a\nb\n')
      .replace('let value99 = two;\n', '');
    for (const [old, fresh] of [
      [before, after],
      [after, before],
      [before, `${after}x`],
    ] as const) {
      expect(applyHunks(old, createHunks(old, fresh))).toEqual(splitLines(fresh));
    }
    expect(countChanges(createHunks(before, renamed))).toEqual({
      additions: 2000,
      deletions: 2000,
    });
    expect(countChanges(createHunks(before, after))).toEqual({ additions: 2001, deletions: 2001 });
    const apart = numbered(9000, (at) => (at % 9 === 0 ? `x${at}` : String(at)));
    expect(createHunks(numbered(9000), apart).length).toBe(1000);
  });

  it('replaces all that differs where texts differ too much to be compared', () => {
    const before = numbered(5000, (at) => `old ${at}`);
    const after = numbered(4000, (at) => `new ${at}`);
    const hunks = createHunks(`head\n${before}tail\n`, `head\n${after}tail\n`);
    expect(hunks.length).toBe(1);
    expect(applyHunks(`head\n${before}tail\n`, hunks)).toEqual(splitLines(`head\n${after}tail\n`));
  });
});

describe('toFileChange', () => {
  it('counts what a person would', () => {
    expect(toFileChange('/a', encode('a\nb\n'), encode('a\nc\nd\n'))).toEqual({
      path: '/a',
      type: 'update',
      additions: 2,
      deletions: 1,
      structuredPatch: [
        { oldStart: 1, oldLines: 2, newStart: 1, newLines: 3, lines: [' a', '-b', '+c', '+d'] },
      ],
    });
  });

  it('tells creation from deletion, and shows no hunks of binary files', () => {
    const create = toFileChange('/a', null, encode('a\n'));
    const remove = toFileChange('/a', encode('a\n'), null);
    expect([create.type, countChanges(create.structuredPatch)]).toEqual([
      'create',
      { additions: 1, deletions: 0 },
    ]);
    expect([remove.type, countChanges(remove.structuredPatch)]).toEqual([
      'delete',
      { additions: 0, deletions: 1 },
    ]);
    expect(toFileChange('/a', new Uint8Array([0]), encode('a'))).toEqual({
      path: '/a',
      type: 'update',
      additions: 0,
      deletions: 0,
      structuredPatch: [],
    });
  });
});
