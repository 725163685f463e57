/** What a worker seldom needs leaves its file, and stays where bundlers and browsers find it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { build } from 'vite';
import { importBeside } from '../../scripts/import-beside.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'import-beside-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

/** Builds one minified module as scripts/build.ts does, and gives the code of each file. */
async function buildModule(code: string): Promise<Record<string, string>> {
  const entry = join(folder, 'entry.ts');
  writeFileSync(entry, code);
  const results = await build({
    root: folder,
    configFile: false,
    logLevel: 'error',
    plugins: [importBeside({ seldom: 'seldom.js', './rare.ts': 'rare-parts.js' })],
    build: {
      write: false,
      lib: { entry, formats: ['es'], fileName: () => 'entry.js' },
      rolldownOptions: { output: { codeSplitting: false, minify: true } },
    },
  });
  const [result] = Array.isArray(results) ? results : [results];
  if (!result || !('output' in result)) throw new Error('the build gave no output');
  return Object.fromEntries(
    result.output.map((part) => [part.fileName, part.type === 'chunk' ? part.code : '']),
  );
}

describe('importBeside', () => {
  it('turns dynamic imports of what it names into URLs that no bundler follows as modules', async () => {
    const files = await buildModule(
      `export const load = (): Promise<typeof import('seldom')> => import('seldom');
      export const again = () => import("./rare.ts");`,
    );
    expect(Object.keys(files)).toEqual(['entry.js']);
    expect(files['entry.js']?.match(/import\(.*?\.href\)/g)).toEqual([
      "import(/* webpackIgnore: true */ /* @vite-ignore */ new URL('./seldom.js', import.meta.url).href)",
      "import(/* webpackIgnore: true */ /* @vite-ignore */ new URL('./rare-parts.js', import.meta.url).href)",
    ]);
  });

  it('leaves what else is imported in the one file', async () => {
    writeFileSync(join(folder, 'often.ts'), `export const often = 'as ever';`);
    const files = await buildModule(`export const load = () => import('./often.ts');`);
    expect(Object.keys(files)).toEqual(['entry.js']);
    expect(files['entry.js']).toContain('as ever');
  });
});
