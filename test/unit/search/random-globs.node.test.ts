// Random globs, asked of our Glob and of real ripgrep 15.1 over the same names; and the same globs as
// lines of an ignore file. The slow lane asks more: GREP_SLOW=1.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GlobOutput } from '../../../src/tools/glob/schema.ts';
import { createSearchBench } from '../../support/search/ask-grep.ts';
import { createRipgrep, writeTree } from '../../support/search/ripgrep.ts';
import { toSearchFiles } from '../../support/search/search-fixture.ts';

const isSlowLane = process.env['GREP_SLOW'] === '1';

const names = [
  ...['a', 'b', 'ab', 'abc', 'a.ts', 'b.tsx', '.h', '.d/x.ts', 'src/a.ts', 'src/b.js', 'x1', 'x2'],
  ...['src/deep/a.ts', 'src/deep/er/c.ts', 'src/[x].ts', 'src/{y}.ts', 'a-b.ts', 'a,b.ts'],
  ...['d/a/b/c', 'e/src/a.ts', 'x y.txt', 'A.TS', 'a*b', 'a+(b)', 'src.ts/in.ts', 'q?'],
];

// Not among them, as docs/search.md says: a lone `!`, two slashes, an escaped slash, names beyond ASCII.
const part = fc.constantFrom(
  ...['a', 'b', 'src', 'deep', '.ts', 'ts', 'd', 'x', 'y', '.', ',', '+', '(', ')', '|', '$'],
  ...['*', '*', '**', '**/', '/', '?', '**/*', '{', '}', '[a', '\\*', '\\{', '[x]', '[[]', '[a\\]'],
  ...[
    '[ab]',
    '[!a]',
    '[^b]',
    '[a-c]',
    '[a-]',
    '[a/]',
    '{a,b}',
    '{a,{b,src}}',
    '{,a}',
    '{a}',
    '{a,}',
  ],
  ...['{a/b,src}', '{*.ts,**/c}', '{src/**,x1}'],
);
const glob = fc
  .tuple(fc.boolean(), fc.array(part, { minLength: 1, maxLength: 5 }))
  .map(([isNegated, parts]) => `${isNegated ? '!' : ''}${parts.join('')}`)
  // Our Glob takes a pattern that begins so for a path, as one that climbs.
  .filter((text) => !text.includes('//') && !text.startsWith('./') && !text.includes('../'));

describe('Glob finds what ripgrep finds', () => {
  it('by random globs', { timeout: 600_000 }, async () => {
    const files = toSearchFiles(Object.fromEntries(names.map((name) => [name, ''])));
    const directory = mkdtempSync(join(tmpdir(), 'globs-'));
    writeTree(directory, files);
    const ripgrep = createRipgrep(directory);
    const bench = await createSearchBench(files);
    const options = ['--no-config', '--files', '--hidden', '--no-require-git'];
    await fc.assert(
      fc.asyncProperty(glob, async (pattern) => {
        const { code, stdout } = await ripgrep([...options, `--glob=${pattern}`, './']);
        const reply = await bench.reply('Glob', { pattern });
        if (code === 2) {
          expect(reply).toMatchObject({ type: 'failed', error: { code: 'invalid-input' } });
          return;
        }
        const expected = stdout.split('\n').filter(Boolean);
        const { filenames } = (reply.type === 'done' ? reply.output : {}) as GlobOutput;
        expect(filenames.toSorted()).toEqual(
          expected.map((path) => `/work/${path.replace(/^\.\//u, '')}`).toSorted(),
        );
      }),
      { numRuns: isSlowLane ? 4_000 : 150, seed: 15 },
    );
    rmSync(directory, { recursive: true });
  });

  it('with random ignore files', { timeout: 600_000 }, async () => {
    const files = toSearchFiles(Object.fromEntries(names.map((name) => [name, ''])));
    const directory = mkdtempSync(join(tmpdir(), 'ignored-'));
    writeTree(directory, files);
    const ripgrep = createRipgrep(directory);
    const { workspace } = await createSearchBench(files);
    const options = ['--no-config', '--files', '--hidden', '--no-require-git', './'];
    await fc.assert(
      fc.asyncProperty(fc.array(glob, { minLength: 1, maxLength: 3 }), async (lines) => {
        const text = lines.join('\n');
        writeFileSync(join(directory, '.gitignore'), text);
        await workspace.fs.writeFile('/work/.gitignore', text);
        const { stdout } = await ripgrep(options);
        const walked = await workspace.fs.walk('/work', { includeHidden: true });
        expect(walked.map(({ path }) => path.slice('/work/'.length)).toSorted()).toEqual(
          stdout
            .split('\n')
            .filter(Boolean)
            .map((path) => path.replace(/^\.\//u, ''))
            .toSorted(),
        );
      }),
      { numRuns: isSlowLane ? 2_000 : 75, seed: 15 },
    );
    rmSync(directory, { recursive: true });
  });
});
