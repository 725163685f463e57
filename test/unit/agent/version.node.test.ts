import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { VERSION } from '../../../src/core/version.ts';

it('reports the version that package.json has', async () => {
  const text = await readFile(new URL('../../../package.json', import.meta.url), 'utf8');
  expect(VERSION).toBe((JSON.parse(text) as { version: string }).version);
});
