import { describe, expect, it } from 'vitest';
import { compareDurations, roundDuration } from '../src/compare.ts';

describe('compareDurations', () => {
  it('sorts strings and numbers, the shortest first', () => {
    expect(['2h', 90_000, '1m'].sort(compareDurations)).toEqual(['1m', 90_000, '2h']);
  });
});

describe('roundDuration', () => {
  it('rounds to the nearest whole unit', () => {
    expect(roundDuration('1h 29m', 'hour')).toBe(3_600_000);
    expect(roundDuration('1h 31m', 'hour')).toBe(7_200_000);
  });

  it('rounds halves away from zero', () => {
    expect(roundDuration(-1500, 's')).toBe(-2000);
    expect(roundDuration(1500, 's')).toBe(2000);
  });
});
