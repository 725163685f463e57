/** What the check of sizes complains of. */
import { describe, expect, it } from 'vitest';
import { compareSizes } from '../../scripts/size.ts';
import type { SizedFile } from '../../scripts/size-app.ts';

const file = (gzipBytes: number, imports: readonly string[] = []): SizedFile => ({
  bytes: new Uint8Array(),
  gzip: new Uint8Array(gzipBytes),
  brotliBytes: 0,
  imports,
});

const baseline = {
  gzipBytes: { query: 1000, all: 2000 },
  files: { query: ['index.html', 'app.js'] },
};

describe('compareSizes', () => {
  it('takes a tenth more', () => {
    const files = new Map([
      ['index.html', file(100)],
      ['app.js', file(1000)],
      ['rare.js', file(1100)],
    ]);
    expect(compareSizes(baseline, files)).toEqual([]);
  });

  it('names what has grown by more', () => {
    const files = new Map([
      ['index.html', file(100)],
      ['app.js', file(1100)],
    ]);
    expect(compareSizes(baseline, files)).toEqual([
      'query has 1200 bytes gzipped, 20 % more than the recorded 1000',
    ]);
  });

  it('weighs what a recorded file imports, once', () => {
    const files = new Map([
      ['index.html', file(100, ['shared.js'])],
      ['app.js', file(900, ['shared.js'])],
      ['shared.js', file(500)],
    ]);
    expect(compareSizes(baseline, files)).toEqual([
      'query has 1500 bytes gzipped, 50 % more than the recorded 1000',
    ]);
  });

  it('asks for a new baseline where a recorded file is gone', () => {
    expect(compareSizes(baseline, new Map([['index.html', file(100)]]))).toEqual([
      'the application has no app.js any more: record the baseline anew, and say why',
    ]);
  });
});
