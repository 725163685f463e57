// The example of docs/testing.md as an embedder would run it.
import { expect, it } from 'vitest';
import { mendGreeting } from '../../../docs/examples/testing.ts';

it.each([
  ['allow', "export const greeting = 'hello';\n"],
  ['deny', "export const greeting = 'helo';\n"],
] as const)('docs/examples/testing.ts, with the answer %s', async (answer, text) => {
  expect(await mendGreeting(answer)).toEqual({ text, asked: ['Edit'] });
});
