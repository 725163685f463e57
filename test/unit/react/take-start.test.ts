import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clipText } from '../../../src/core/text/clip-text.ts';
import { takeStart } from '../../../src/react/kit/take-start.ts';

const text = { length: (line: string) => line.length, cut: clipText };

describe('takeStart', () => {
  it.each([
    ['all of what fits', ['ab', 'cd'], { shown: ['ab', 'cd'], hiddenItems: 0, hiddenChars: 0 }],
    ['as many items as allowed', ['a', '', '', 'b'], { shown: ['a', '', ''], hiddenItems: 1 }],
    ['a part of one long item', ['abcdefgh'], { shown: ['abcde'], hiddenChars: 3 }],
    ['a part of the last', ['abc', 'defg', 'h'], { shown: ['abc', 'de'], hiddenItems: 1 }],
    ['no half of a pair', ['abcd\u{1F600}'], { shown: ['abcd'], hiddenChars: 2 }],
  ])('shows %s', (_, items, start) => {
    expect(takeStart(items, 3, 5, text)).toMatchObject(start);
  });

  it('never shows more items or characters than allowed, and counts what is missing', () => {
    const lines = fc.array(fc.string({ maxLength: 20 }), { maxLength: 12 });
    const count = fc.integer({ min: 1, max: 30 });
    fc.assert(
      fc.property(lines, count, count, (items, maxItems, maxChars) => {
        const { shown, hiddenItems, hiddenChars } = takeStart(items, maxItems, maxChars, text);
        expect(shown.length).toBeLessThanOrEqual(maxItems);
        expect(shown.join('').length).toBeLessThanOrEqual(maxChars);
        expect(shown.length + hiddenItems).toBe(items.length);
        const cut = items[shown.length - 1] ?? '';
        expect(cut.length - (shown.at(-1) ?? '').length).toBe(hiddenChars);
      }),
    );
  });
});
