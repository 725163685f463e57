// Origins as whoever serves pages names them.
import { expect, it } from 'vitest';
import { createModelProxy, createObjectWire } from '../../../src/edge.ts';
import { checkOrigins } from '../../../src/wire/check-origins.ts';

const possible = [
  'https://app.example.org',
  'http://localhost:5173',
  'http://[::1]:8080',
  'capacitor://localhost',
  'chrome-extension://abcdef',
  'null',
];

it('takes what a browser may send', () => {
  expect(() => checkOrigins(possible)).not.toThrow();
  expect(() => checkOrigins(undefined)).not.toThrow();
});

it.each([
  'https://app.example.org/',
  'https://app.example.org/app',
  'https://App.example.org',
  'https://app.example.org:443',
  'app.example.org',
  '*',
  '',
])('refuses "%s", which none sends, and says how it is written', (origin) => {
  const refusal = expect.objectContaining({
    code: 'bad-usage',
    message: expect.stringContaining(`such as "https://app.example.org"`) as string,
    data: { option: 'origins', given: origin },
  }) as Error;
  const origins = [...possible, origin];
  expect(() => checkOrigins(origins)).toThrow(refusal);
  expect(() => createObjectWire({} as never, { authorize: () => undefined, origins })).toThrow(
    refusal,
  );
  const proxy = { apiKey: 'k', models: ['m'], authenticate: () => 'ann' };
  expect(() => createModelProxy({ ...proxy, origins })).toThrow(refusal);
});

it('refuses a text in place of a list', () => {
  expect(() => checkOrigins('https://app.example.org' as never)).toThrow('`origins` lists each');
  // A variable of the environment that isn't set.
  expect(() => checkOrigins([undefined] as never)).toThrow('not undefined.');
});

it.each(['anthropic', 'https://example.org/anthropic'])(
  'refuses a proxy with the path "%s", at which it would answer nobody',
  (path) => {
    const proxy = { apiKey: 'k', models: ['m'], authenticate: () => 'ann', path };
    expect(() => createModelProxy(proxy)).toThrow("A proxy's `path` is that of its address alone");
  },
);
