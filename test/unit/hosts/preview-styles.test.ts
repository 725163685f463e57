// The style sheets of a previewed page are anybody's, and are looked through on the thread of the page around it.
import { expect, it } from 'vitest';
import { inlineText } from '../../../src/hosts/browser/preview/app-styles.ts';

const read = (text: string) =>
  inlineText(
    {
      find: (reference) => Promise.resolve(`/app/${reference}`),
      findSheet: (reference) => Promise.resolve(`/app/${reference}`),
      readText: (path) => Promise.resolve(`/* ${path} */`),
      toDataUrl: (path) => Promise.resolve(`data:${path}`),
    },
    text,
    '/app/main.css',
    () => undefined,
  );

it.each([
  ['url( a.png )', 'url("data:/app/a.png")'],
  [`url( "a b.png" ) url('c.png')`, 'url("data:/app/a b.png") url("data:/app/c.png")'],
  ['url() url( ) url(#a)', 'url() url( ) url(#a)'],
  ['/* url(a.png) */ b { } /* url(c.png)', '/* url(a.png) */ b { } /* url(c.png)'],
  ['@import "a.css";', '/* /app/a.css */'],
  ['@import url( a.css ) print;', '@media print {\n/* /app/a.css */\n}'],
  ['@import a; url(b', '/* /app/a */ url(b'],
])('takes in what %j names', async (text, written) => {
  expect(await read(text)).toBe(written);
});

it.each([
  ['blanks in an address', `url(${' '.repeat(100_000)}x`],
  ['blanks behind an import', `@import a${' '.repeat(100_000)}x`],
  ['addresses without an end', 'url('.repeat(200_000)],
  ['imports without an end', '@import a '.repeat(100_000)],
  ['comments without an end', '/*'.repeat(400_000)],
])(
  'takes no time that grows with the square of %s',
  async (_, text) => {
    // One that took the square of its length would outlast the test's own time.
    expect((await read(text)).length).toBe(text.length);
  },
  15_000,
);
