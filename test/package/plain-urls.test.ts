/** The library's asset URLs survive a build as plain relative URLs. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { build } from 'vite';
import { plainUrls } from '../../scripts/plain-urls.ts';

describe('plainUrls', () => {
  it('keeps worker and wasm URLs relative, flat and unread, also in minified code', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'plain-urls-'));
    try {
      const entry = join(folder, 'entry.ts');
      writeFileSync(
        entry,
        `export const start = () =>
          new Worker(new URL('./some/fs.worker.ts', import.meta.url), { type: 'module' });
        export const wasm = () => new URL("../../quickjs.wasm", import.meta.url);
        export const other = () => new URL('https://example.com');`,
      );
      const results = await build({
        root: folder,
        configFile: false,
        logLevel: 'error',
        plugins: [plainUrls()],
        build: {
          write: false,
          minify: true,
          lib: { entry, formats: ['es'], fileName: () => 'entry.js' },
        },
      });
      const [result] = Array.isArray(results) ? results : [results];
      const output = result && 'output' in result ? result.output : [];
      expect(output.map((part) => part.fileName)).toEqual(['entry.js']);
      const code = output[0]?.type === 'chunk' ? output[0].code : '';
      expect(code.match(/new URL\([^)]*\)/g)?.map((url) => url.replaceAll('"', "'"))).toEqual([
        "new URL('./fs.worker.js', import.meta.url)",
        "new URL('./quickjs.wasm', import.meta.url)",
        "new URL('https://example.com')",
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
