import { describe, expect, it } from 'vitest';
import { DurationError, parseDuration } from '../src/parse.ts';

describe('parseDuration', () => {
  it('reads one unit', () => {
    expect(parseDuration('250ms')).toBe(250);
    expect(parseDuration('3 days')).toBe(259_200_000);
  });

  it('adds up several units, with or without commas', () => {
    expect(parseDuration('1h 30m')).toBe(5_400_000);
    expect(parseDuration('1 hour, 30 minutes')).toBe(5_400_000);
  });

  it('reads decimals and any case', () => {
    expect(parseDuration('1.5 HOURS')).toBe(5_400_000);
  });

  it('reads a plain number as milliseconds', () => {
    expect(parseDuration('1500')).toBe(1500);
  });

  it('reads a leading minus sign', () => {
    expect(parseDuration('-2m')).toBe(-120_000);
  });

  it('names the part that it does not understand', () => {
    expect(() => parseDuration('5 parsecs')).toThrow('"parsecs" is not a unit of time.');
    expect(() => parseDuration('1h and more')).toThrow(DurationError);
    expect(() => parseDuration('')).toThrow(DurationError);
  });
});
