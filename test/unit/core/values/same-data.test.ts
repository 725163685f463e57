import { describe, expect, it } from 'vitest';
import { isSameData } from '../../../../src/core/values/same-data.ts';

describe('isSameData', () => {
  it.each([
    [1, 1],
    [Number.NaN, Number.NaN],
    [null, null],
    [
      { a: 1, b: [{ c: 'x' }] },
      { b: [{ c: 'x' }], a: 1 },
    ],
    [[], []],
  ])('finds %o the same as %o', (one, other) => {
    expect(isSameData(one, other)).toBe(true);
  });

  it.each([
    [1, '1'],
    [null, {}],
    [{}, []],
    [[1], [1, 2]],
    [{ a: 1 }, { a: 2 }],
    [{ a: undefined }, {}],
    [{ a: undefined }, { b: undefined }],
    [{ a: [{ b: 1 }] }, { a: [{ b: 2 }] }],
    [{ toString: 1 }, { a: 1 }],
  ])('finds %o another than %o, either way', (one, other) => {
    expect([isSameData(one, other), isSameData(other, one)]).toEqual([false, false]);
  });
});
