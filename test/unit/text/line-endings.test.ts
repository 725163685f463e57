import { describe, expect, it } from 'vitest';
import {
  detectLineEnding,
  fromLineFeeds,
  hasMixedLineEndings,
  toLineFeeds,
} from '../../../src/text/line-endings.ts';

describe('line endings', () => {
  it.each([
    ['', '\n'],
    ['no end', '\n'],
    ['a\nb\n', '\n'],
    ['a\r\nb\r\n', '\r\n'],
    ['a\r\nb\r\nc\n', '\r\n'],
    ['a\r\nb\n', '\n'],
    ['a\rb\r', '\n'],
  ])('of %j are mostly %j', (text, ending) => {
    expect(detectLineEnding(text)).toBe(ending);
  });

  it('convert there and back; a lone carriage return stays', () => {
    expect(toLineFeeds('a\r\nb\rc\n')).toBe('a\nb\rc\n');
    expect(fromLineFeeds('a\nb\rc\n', '\r\n')).toBe('a\r\nb\rc\r\n');
    expect(fromLineFeeds('a\r\nb\n', '\n')).toBe('a\nb\n');
    expect(fromLineFeeds('a\r\nb\n', '\r\n')).toBe('a\r\nb\r\n');
  });

  it.each([
    ['a\nb\n', false],
    ['a\r\nb\r\n', false],
    ['a\r\nb\n', true],
    ['none', false],
  ])('of %j are mixed: %s', (text, isMixed) => {
    expect(hasMixedLineEndings(text)).toBe(isMixed);
  });
});
