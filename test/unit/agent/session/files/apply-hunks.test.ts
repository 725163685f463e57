import { describe, expect, test } from 'vitest';
import { applyHunks } from '../../../../../src/agent/session/files/apply-hunks.ts';
import { createHunks } from '../../../../../src/text/patch.ts';
import { createRandom } from '../../../../support/random.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, at) => `${at}\n`).join('');

describe('applyHunks', () => {
  test('applies those that were chosen, and no others', () => {
    const before = numbers(40);
    const after = before.replace('\n5\n', '\nfive\n').replace('\n30\n', '\n30\n30a\n');
    const hunks = createHunks(before, after);
    expect(hunks).toHaveLength(2);
    const [first, second] = hunks.map((hunk) => applyHunks(before, [hunk], after));
    expect(first).toBe(before.replace('\n5\n', '\nfive\n'));
    expect(second).toBe(before.replace('\n30\n', '\n30\n30a\n'));
    expect(applyHunks(before, hunks.toReversed(), after)).toBe(after);
  });

  test('undoes createHunks, whatever the texts', () => {
    const random = createRandom(7);
    const text = () =>
      Array.from({ length: random.below(12) }, () => `${'ab'[random.below(2)]}\n`)
        .join('')
        .slice(0, random.below(3) === 0 ? -1 : undefined);
    for (let times = 0; times < 2000; times += 1) {
      const [before, after] = [text(), text()];
      expect(applyHunks(before, createHunks(before, after), after)).toBe(after);
    }
  });

  test('keeps line ends as they are', () => {
    const before = 'a\r\nb\r\n';
    const after = 'a\r\nc\r\n';
    expect(applyHunks(before, createHunks(before, after), after)).toBe(after);
  });

  test('refuses what doesn’t fit', () => {
    const before = numbers(20);
    const after = before.replace('\n10\n', '\nten\n');
    const hunks = createHunks(before, after);
    expect(applyHunks(before.replace('\n12\n', '\nother\n'), hunks, after)).toBeUndefined();
    expect(applyHunks(`more\n${before}`, hunks, after)).toBeUndefined();
    expect(applyHunks('', hunks, after)).toBeUndefined();
    expect(applyHunks(before, [...hunks, ...hunks], after)).toBeUndefined();
  });
});
