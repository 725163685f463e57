/** How the guest's files become the text that the sandbox runs. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runInThisContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleGuest, made } from '../../scripts/guest.ts';
import { parts } from '../../src/repl/guest-code.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

const files = made.map((one) => [basename(one.target), one] as const);
it.each(files)('%s is what its files make', async (_name, { target, make }) => {
  const text = readFileSync(target, 'utf8');
  const [, hash = ''] = /\(([0-9a-f]{16})\)/.exec(text) ?? [];
  expect(await make(hash)).toBe(text);
});

describe('guest-code.ts', () => {
  it('has each part by the name of its file', () => {
    const files = readdirSync(join(root, 'src/repl/guest/parts'));
    expect(Object.keys(parts)).toEqual(files.map((file) => basename(file, '.ts')).sort());
  });
});

describe('bundleGuest', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'guest-code-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  function bundle(files: Readonly<Record<string, string>>): Promise<string> {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    return bundleGuest(join(folder, 'entry.ts'));
  }

  it('makes one expression of a file and what it imports', async () => {
    const code = await bundle({
      'entry.ts':
        "import { two } from './two.ts';\nexport function add(one: number) { return one + two; }",
      'two.ts': 'export const two = 2;',
    });
    expect((runInThisContext(`(${code})`) as (one: number) => number)(1)).toBe(3);
  });

  it('keeps the names of functions and classes, which a guest can see', async () => {
    const code = await bundle({
      'entry.ts':
        'export function make() { class Point {} function inner() {} return [Point.name, inner.name, make.name]; }',
    });
    expect((runInThisContext(`(${code})`) as () => string[])()).toEqual(['Point', 'inner', 'make']);
  });

  it.each([
    ['is no TypeScript', 'export function (', /entry\.ts/u],
    ['exports two things', 'export const a = 1, b = 2;', /entry\.ts: .*exports one thing/u],
  ])('names the file that %s', async (_what, text, message) => {
    await expect(bundle({ 'entry.ts': text })).rejects.toThrow(message);
  });
});
