import { describe, expect, it } from 'vitest';
import { toResultText, toSentResult } from '../../../src/core/blocks.ts';

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

describe('toSentResult', () => {
  it('leaves out texts that the API refuses, and keeps the rest as it is', () => {
    const kept = { type: 'text', text: ' one ' } as const;
    const content = [{ type: 'text', text: '' }, kept, { type: 'text', text: ' \n' }] as const;
    const sent = toSentResult({ type: 'tool_result', tool_use_id: 'forged', content }, 'call-1');
    expect(sent).toEqual({ type: 'tool_result', tool_use_id: 'call-1', content: [kept] });
  });
});
