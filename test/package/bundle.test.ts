/** What the portable entry is made of, and that the proof finds what doesn't belong there. */
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { inspectBundle } from '../../scripts/bundle.ts';
import { findFreeGlobals } from '../../scripts/free-globals.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
let copy: string | undefined;

afterEach(() => {
  if (copy) rmSync(copy, { recursive: true });
  copy = undefined;
});

/** Inspects a project that has one entry with this text. */
async function inspect(text: string) {
  copy = mkdtempSync(join(tmpdir(), 'bundle-'));
  cpSync(join(root, 'src/core'), join(copy, 'src/core'), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction');
  writeFileSync(join(copy, 'package.json'), '{ "name": "seed", "type": "module" }');
  writeFileSync(
    join(copy, 'src/index.ts'),
    `export { SdkError } from './core/errors.ts';\n${text}`,
  );
  return (await inspectBundle(copy, ['src/index.ts'])).complaints;
}

describe('the portable bundle', () => {
  it('holds no Node, DOM or React', async () => {
    const { complaints, modules } = await inspectBundle(root);
    expect(complaints).toEqual([]);
    expect(modules).toBeGreaterThan(20);
  });

  it('holds no React where it has the stores alone', async () => {
    const { complaints, modules } = await inspectBundle(root, ['src/stores.ts']);
    const frames = ['cancelAnimationFrame', 'requestAnimationFrame'];
    expect(complaints.filter((one) => !frames.some((name) => one.includes(name)))).toEqual([]);
    expect(modules).toBeGreaterThan(5);
  });

  it.each([
    [
      'a Node module',
      "import { readFile } from 'node:fs'; export { readFile };",
      ['the bundle imports node:fs'],
    ],
    [
      "the page's document",
      'export const title = () => document.title;',
      ['the bundle uses the global document, which not every host has: use a port'],
    ],
    [
      'a look for a window or a process',
      "export const mode = typeof window === 'undefined' && globalThis.process.env.MODE;",
      [
        'the bundle uses the global process, which not every host has: use a port',
        'the bundle uses the global window, which not every host has: use a port',
      ],
    ],
    [
      'React',
      "export const load = () => import('react');",
      [expect.stringMatching(/^the bundle holds .*\/react\/.*: React belongs to rockpool\/react$/)],
    ],
  ])('is refused with %s', async (_name, text, complaints) => {
    const found = await inspect(text);
    expect(found).toEqual(expect.arrayContaining(complaints));
    expect(found.length).toBeGreaterThan(0);
  });

  it('is accepted without them', async () => {
    expect(
      await inspect('export const get = () => fetch(new URL("https://example.com"));'),
    ).toEqual([]);
  });
});

describe('findFreeGlobals', () => {
  it('tells a global from a property and a local of the same name', () => {
    const code =
      'const window = { document: 1 }; export const a = [window.document, Promise, self];';
    expect(findFreeGlobals([code])).toEqual(['document', 'self']);
    const guarded = 'export const a = [globalThis.location?.href, globalThis.process.env];';
    expect(findFreeGlobals([guarded])).toEqual(['location?.', 'process']);
    expect(findFreeGlobals([code, 'export {};', guarded])).toEqual([
      ...['document', 'location?.', 'process', 'self'],
    ]);
  });

  it('throws on what is not JavaScript', () => {
    expect(() => findFreeGlobals(['export const = 1'])).toThrow(/oxlint could not read the bundle/);
  });
});
