import { expect, it } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { getDocument } from '../../../src/media/no-pdf-reader.ts';

it('says in an isolate, where package.json puts it in the place of the reader, that there is none', () => {
  expect(() => getDocument()).toThrow('There is no PDF reader here');
  expect(manifest.imports['#pdf-reader'].workerd).toEqual({
    'rockpool-source': './src/media/no-pdf-reader.ts',
    default: './dist/no-pdf-reader.js',
  });
});
