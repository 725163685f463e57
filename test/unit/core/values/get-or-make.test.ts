import { expect, it } from 'vitest';
import { getOrMake } from '../../../../src/core/values/get-or-make.ts';

it('makes a value once for each key, an empty one too', () => {
  const kept = new Map<string, string | null>();
  let made = 0;
  const ask = (key: string) => getOrMake(kept, key, () => ((made += 1) > 1 ? null : ''));
  expect([ask('a'), ask('a'), ask('b'), ask('b')]).toEqual(['', '', null, null]);
  expect(made).toBe(2);
});
