// What a report of an entry's exports says, from declarations of a few lines.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApiReports, listApiEntries } from '../../scripts/api-report.ts';

const declarations = {
  'index.d.ts': `
    export { open } from './house.ts';
    export type { Door, Window as Pane } from './house.ts';`,
  'garden.d.ts': `
    export * from './index.ts';
    export { trees } from './house.ts';`,
  'house.d.ts': `
    /** How wide it stands. */
    export type Width = 'ajar' | 'open';
    /** A door. */
    export interface Door { /** How wide. */ readonly width: Width }
    export interface Window { readonly panes: number }
    export declare function open(door: Door, width: Width): Door;
    export declare function open(pane: Window): Window;
    export declare const trees: readonly import('./house.ts').Door[];`,
};

describe('createApiReports', () => {
  const folder = mkdtempSync(join(tmpdir(), 'api-report-'));
  let reports: ReadonlyMap<string, string>;

  beforeAll(async () => {
    for (const [name, text] of Object.entries(declarations)) {
      writeFileSync(join(folder, name), text);
    }
    reports = await createApiReports(folder, [
      { specifier: 'house', name: 'index' },
      { specifier: 'house/garden', name: 'garden' },
    ]);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('gives each name with its declarations, sorted and without comments', () => {
    expect(reports.get('index')).toMatchInlineSnapshot(`
      "# house

      \`npm run api\` writes this file.

      \`\`\`ts
      export interface Door {
        readonly width: Width;
      }

      export interface Window {
        readonly panes: number;
      }
      export { Window as Pane };

      export declare function open(door: Door, width: Width): Door;
      export declare function open(pane: Window): Window;
      \`\`\`

      These types are named above, and are not exported here:

      - \`Width\`

      Names: 3
      "
    `);
  });

  it('reports of an entry that has all of another one only what it adds', () => {
    expect(reports.get('garden')).toMatchInlineSnapshot(`
      "# house/garden

      \`npm run api\` writes this file.

      Everything of \`house\`, and:

      \`\`\`ts
      export declare const trees: readonly Door[];
      \`\`\`

      Names: 1
      "
    `);
  });

  it('refuses an entry that has no declarations', async () => {
    await expect(
      createApiReports(folder, [{ specifier: 'house/cellar', name: 'cellar' }]),
    ).rejects.toThrow('house/cellar has no declarations at');
  });
});

describe('listApiEntries', () => {
  it('takes the subpaths that are modules of ours', () => {
    const exports = {
      '.': { 'rockpool-source': './src/index.ts', types: './dist/index.d.ts' },
      './edge': { 'rockpool-source': './src/edge.ts', types: './dist/edge.d.ts' },
      './house.css': { 'rockpool-source': './src/house.css' },
      './house.wasm': { types: './dist/house.wasm.d.ts' },
      './package.json': './package.json',
    };
    expect(listApiEntries({ name: 'house', exports })).toEqual([
      { specifier: 'house', name: 'index' },
      { specifier: 'house/edge', name: 'edge' },
    ]);
  });
});
