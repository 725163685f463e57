import { describe, expect, it } from 'vitest';
import { toResultText, toSentResult } from '../../../../src/core/messages/blocks.ts';

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
  it('takes of a block what the API knows, as the API has it', () => {
    const given = {
      type: 'x',
      content: 'done',
      is_error: 'no',
      extra: 1n,
      cache_control: undefined,
    };
    const sent = toSentResult(given as never, 'call-1');
    expect(sent).toEqual({ type: 'tool_result', tool_use_id: 'call-1', content: 'done' });
  });

  it.each([
    ['a text', 'done'],
    ['a list with what JSON has no word for', { content: [{ type: 'text', text: 'a', n: 1n }] }],
  ])('refuses %s in place of a block', (_, given) => {
    expect(() => toSentResult(given as never, 'call-1')).toThrow(TypeError);
  });

  it('leaves out texts that the API refuses, and keeps the rest as it is', () => {
    const kept = { type: 'text', text: ' one ' } as const;
    const content = [{ type: 'text', text: '' }, kept, { type: 'text', text: ' \n' }] as const;
    const sent = toSentResult({ type: 'tool_result', tool_use_id: 'forged', content }, 'call-1');
    expect(sent).toEqual({ type: 'tool_result', tool_use_id: 'call-1', content: [kept] });
  });

  const image = { type: 'image', source: { type: 'url', url: 'https://a.test/' } } as const;
  const why = { type: 'text', text: 'No such page.' } as const;
  const nothing = '(The call failed, and gave no reason.)';
  it.each([
    ['no content', undefined, nothing],
    ['an empty text', ' \n', nothing],
    ['empty texts alone', [{ type: 'text', text: '' }] as const, nothing],
    [
      'an image',
      [why, image],
      [
        why,
        {
          type: 'text',
          text: '(Left out: image. The result of a failed call is text alone.)',
        },
      ],
    ],
  ])('gives a failure with %s what the API takes: text', (_, content, sent) => {
    const block = {
      type: 'tool_result',
      tool_use_id: 'call-1',
      ...(content && { content }),
      is_error: true,
    } as const;
    expect(toSentResult(block, 'call-1')).toEqual({ ...block, content: sent });
  });
});
