import { expect, it } from 'vitest';
import { readCommandLine } from '../../../../src/agent/commands/command-line.ts';

const text = (words: string) => ({ type: 'text', text: words }) as const;
const image = {
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: 'aW1n' },
} as const;

it('is read from the first text, also behind a picture', () => {
  const read = (content: Parameters<typeof readCommandLine>[0]['content']) =>
    readCommandLine({ role: 'user', content });
  expect(read(' /review a b ')).toEqual({ name: 'review', args: 'a b', rest: [] });
  expect(read([image, text('/review a'), text('b')])).toEqual({
    name: 'review',
    args: 'a',
    rest: [image, text('b')],
  });
  expect(read([text('Look.'), text('/review')])).toBeUndefined();
  expect(read([image])).toBeUndefined();
  expect(read('/workspace/a.ts is broken')).toBeUndefined();
});
