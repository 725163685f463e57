import { describe, expect, it } from 'vitest';
import { encodeText, type TextFormat } from '../../../src/text/encoding.ts';
import { mergeFile } from '../../../src/text/merge-file.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const merge = (...texts: readonly [string, string, string]) => {
  const [base, ours, theirs] = texts;
  const merged = mergeFile(bytes(base), bytes(ours), bytes(theirs));
  return merged.type === 'clean' ? new TextDecoder().decode(merged.bytes) : merged;
};

describe('mergeFile', () => {
  it('merges texts with the line ends that they have', () => {
    expect(merge('a\nb\nc\n', 'A\nb\nc\n', 'a\nb\nC\n')).toBe('A\nb\nC\n');
    expect(merge('a\r\nb\r\nc\r\n', 'A\r\nb\r\nc\r\n', 'a\r\nb\r\nC\r\n')).toBe('A\r\nb\r\nC\r\n');
  });

  it('gives the merged file the line ends of the side that converted it', () => {
    expect(merge('a\nb\nc\n', 'a\r\nb\r\nc\r\n', 'a\nb\nC\n')).toBe('a\r\nb\r\nC\r\n');
    expect(merge('a\r\nb\r\nc\r\n', 'A\r\nb\r\nc\r\n', 'a\nb\nc\n')).toBe('A\nb\nc\n');
  });

  it('takes a text without any line end for no conversion', () => {
    expect(merge('a\r\n', 'a', 'x\r\na\r\n')).toMatchObject({ type: 'conflict' });
    expect(merge('a', 'a\r\nb\r\n', 'a')).toBe('a\r\nb\r\n');
    expect(merge('a\r\nb\r\nc\r\n', 'c\r\n', 'a\r\nb\r\nc\r\nd\r\n')).toBe('c\r\nd\r\n');
  });

  it('compares mixed line ends as parts of their lines', () => {
    expect(merge('a\r\nb\nc\n', 'a\r\nb\nC\n', 'A\r\nb\nc\n')).toBe('A\r\nb\nC\n');
    expect(merge('a\r\r\nb\r\nc\r\n', 'a\r\r\nb\r\nC\r\n', 'x\r\na\r\r\nb\r\nc\r\n')).toBe(
      'x\r\na\r\r\nb\r\nC\r\n',
    );
  });

  it.each<TextFormat>([
    { encoding: 'utf-8', hasBom: true },
    { encoding: 'utf-16le', hasBom: true },
    { encoding: 'utf-16be', hasBom: true },
  ])('keeps the encoding $encoding', (format) => {
    const encode = (text: string) => encodeText(text, format);
    expect(mergeFile(encode('ä\nb\nc\n'), encode('Ä\nb\nc\n'), encode('ä\nb\nC\n'))).toEqual({
      type: 'clean',
      bytes: encode('Ä\nb\nC\n'),
    });
    // One side has converted it, the other one edited it.
    expect(mergeFile(bytes('ä\nb\nc\n'), encode('ä\nb\nc\n'), bytes('ä\nb\nC\n'))).toEqual({
      type: 'clean',
      bytes: encode('ä\nb\nC\n'),
    });
  });

  it('refuses two new encodings', () => {
    const [little, big] = (['utf-16le', 'utf-16be'] as const).map((encoding) =>
      encodeText('a\n', { encoding, hasBom: true }),
    ) as [Uint8Array, Uint8Array];
    expect(mergeFile(bytes('a\n'), little, big)).toEqual({ type: 'conflict', regions: [] });
  });

  it('refuses a character that the other side’s new encoding hasn’t', () => {
    const base = 'first\nsecond\nthird\n';
    const latin = encodeText('first\nsecond\ncafé\n', { encoding: 'windows-1252', hasBom: false });
    const merged = mergeFile(bytes(base), bytes('→\nsecond\nthird\n'), latin);
    expect(merged).toEqual({ type: 'conflict', regions: [] });
    expect(mergeFile(bytes(base), bytes('1st\nsecond\nthird\n'), latin)).toMatchObject({
      type: 'clean',
    });
  });

  it.each([
    ['binary', [0, 1, 2]],
    ['no valid text', [0xff, 0x61, 0x0a]],
  ])('takes a whole side of a file that is %s, or refuses', (_what, start) => {
    const file = (...rest: number[]) => Uint8Array.from([...start, 0x0a, 0x62, 0x0a, ...rest]);
    const [base, ours, theirs] = [file(1), file(2), file(3)];
    expect(mergeFile(base, ours, file(1))).toEqual({ type: 'clean', bytes: ours });
    expect(mergeFile(base, file(1), theirs)).toEqual({ type: 'clean', bytes: theirs });
    expect(mergeFile(base, ours, file(2))).toEqual({ type: 'clean', bytes: ours });
    expect(mergeFile(base, ours, theirs)).toEqual({ type: 'conflict', regions: [] });
  });
});
