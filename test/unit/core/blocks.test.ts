import { describe, expect, it } from 'vitest';
import { toResultText } from '../../../src/core/blocks.ts';

describe('toResultText', () => {
  it('gives a text as it is, and nothing for a result without content', () => {
    expect(toResultText({ content: 'found' })).toBe('found');
    expect(toResultText({})).toBe('');
  });

  it('joins text blocks by line ends and leaves images out', () => {
    const image = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: '' },
    } as const;
    const content = [
      { type: 'text', text: 'one' } as const,
      image,
      { type: 'text', text: 'two' } as const,
    ];
    expect(toResultText({ content })).toBe('one\ntwo');
  });
});
