import { describe, expect, it } from 'vitest';
import { toSpokenReply } from '../../src/react/components/spoken-reply.ts';

describe('what a screen reader says of a reply', () => {
  it.each([
    ['It **runs** _now_, `npm test` ~~fails~~ passes.', 'It runs now, npm test fails passes.'],
    [
      'See [the docs](https://a.example/x) or https://b.example/y',
      'See the docs or https://b.example/y.',
    ],
    ['a \\* b &amp; c<br>d', 'a * b & c d.'],
    ['***Both*** and **a *b* c**', 'Both and a b c.'],
    ['# Done\n\nTwo files:\n\n- `a.ts`\n- b\n  1. deep', 'Done. Two files: a.ts. b. deep.'],
    ['First.\n\n```ts\nconst a = 1;\n```\n\n---\n\n> quoted', 'First. Here is code. quoted.'],
    ['| a | b |\n| - | - |\n| 1 | 2 |', 'Here is a table.'],
    ['one\ntwo', 'one two.'],
    ['', ''],
  ])('%j', (markdown, words) => {
    expect(toSpokenReply(markdown)).toBe(words);
  });

  it('ends after a minute, and says where the rest is', () => {
    const spoken = toSpokenReply('A sentence of some words. '.repeat(100));
    expect(spoken).toMatch(/^A sentence .* … The rest is in the conversation\.$/);
    expect(spoken.length).toBeLessThan(950);
    expect(toSpokenReply('x'.repeat(5000))).toHaveLength(
      900 + ' … The rest is in the conversation.'.length,
    );
  });

  it('survives what nests without end', () => {
    expect(toSpokenReply(`${'>'.repeat(20_000)} deep`).length).toBeLessThan(1000);
  });
});
