import { expect, it } from 'vitest';
import { asSentence } from '../../../../src/core/text/as-sentence.ts';

it.each([
  ['not now', 'not now.'],
  ['Not now. ', 'Not now.'],
  ['Why?', 'Why?'],
  ['Say "not now."', 'Say "not now."'],
  ['at position 1 (line 1 column 2)', 'at position 1 (line 1 column 2).'],
  ['', ''],
])('another sentence may follow %j as %j', (text, sentence) => {
  expect(asSentence(text)).toBe(sentence);
});
