import { describe, expect, it } from 'vitest';
import { formatDuration } from '../src/format.ts';

describe('formatDuration', () => {
  it('shows the two largest parts', () => {
    expect(formatDuration(5_400_000)).toBe('1h 30m');
    expect(formatDuration(187_205_000)).toBe('2d 4h');
  });

  it('leaves out parts that are zero', () => {
    expect(formatDuration(3_600_000)).toBe('1h');
    expect(formatDuration(0)).toBe('0ms');
  });

  it('shows as many parts as asked for', () => {
    expect(formatDuration(187_205_000, { parts: 1 })).toBe('2d');
    expect(formatDuration(187_205_000, { parts: 4 })).toBe('2d 4h 5s');
  });

  it('rounds the last part', () => {
    expect(formatDuration(90_400)).toBe('1m 30s');
    expect(formatDuration(90_600)).toBe('1m 31s');
  });

  it('carries a part that was rounded up to a whole larger unit', () => {
    expect(formatDuration(3_599_700)).toBe('1h');
    expect(formatDuration(86_399_000, { parts: 1 })).toBe('1d');
  });

  it('keeps the sign', () => {
    expect(formatDuration(-90_000)).toBe('-1m 30s');
  });

  it('refuses what is not a number', () => {
    expect(() => formatDuration(Number.NaN)).toThrow(RangeError);
  });
});
