/**
 * What of Anthropic's client a bundler packs for a request. Its resources and tool runners are most
 * of the package. They come along by an `import()` of the package, or by `new Anthropic`.
 */
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { bundle } from '../../scripts/bundle.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

it('packs the part of the client that sends a request, and none of its runners and readers of streams', async () => {
  const chunks = await bundle(root, ['src/model/anthropic.ts'], () => false, ['workerd']);
  const paths = chunks.flatMap(({ moduleIds }) => moduleIds);
  const packed = paths.filter((path) => path.includes('/@anthropic-ai/sdk/'));
  expect(packed.some((path) => path.endsWith('/client.mjs'))).toBe(true);
  expect(packed.filter((path) => /\/lib\/(?:tools\/|\w*MessageStream)/u.test(path))).toEqual([]);
});
