// Random queries, asked of our Grep and of real ripgrep 15.1 over the same files. The files are
// this repository without its tests and some packages, and the tree of odd files: twenty queries
// each. The slow lane asks ten thousand: GREP_SLOW=1.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { askGrep, createSearchBench } from '../../support/search/ask-grep.ts';
import { isKnownDifference } from '../../support/search/known-differences.ts';
import { createRandomQueries, type Vocabulary } from '../../support/search/random-queries.ts';
import { askRipgrep, createRipgrep, writeTree } from '../../support/search/ripgrep.ts';
import {
  searchFixture,
  toSearchFiles,
  type SearchFiles,
  type SearchQuery,
} from '../../support/search/search-fixture.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const isSlowLane = process.env['GREP_SLOW'] === '1';

// Each is installed in one version, which the lock file names.
const packages = ['@codemirror/view', 'acorn', 'comlink', 'react'];

function readRepository(): SearchFiles {
  const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' });
  const installed = packages.flatMap((name) => {
    const folder = join(root, 'node_modules', name);
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(root, join(entry.parentPath, entry.name)));
  });
  // Its tests are left out: with a thousand files more ripgrep, as wasm, takes twice as long.
  const own = tracked.split('\0').filter((name) => name !== '' && !name.startsWith('test/'));
  const names = [...own, ...installed];
  return toSearchFiles(
    Object.fromEntries(
      // The repository's own ignore file would hide a folder of that name.
      names.map((name) => [
        name.replace(/^node_modules\//u, 'packages/'),
        new Uint8Array(readFileSync(join(root, name))),
      ]),
    ),
  );
}

/** Those of `count` random queries that the two answer differently, with both answers. */
async function findDifferences(
  files: SearchFiles,
  { seed, count, vocabulary }: { seed: number; count: number; vocabulary: Vocabulary },
): Promise<unknown[]> {
  const directory = mkdtempSync(join(tmpdir(), 'queries-'));
  writeTree(directory, files);
  const ripgrep = createRipgrep(directory);
  const bench = await createSearchBench(files);
  const draw = createRandomQueries(seed, vocabulary);
  const differences: unknown[] = [];
  const found = { refused: 0, something: 0 };
  for (let asked = 0; asked < count;) {
    const query: SearchQuery = draw();
    if (isKnownDifference(query)) continue;
    asked += 1;
    const expected = await askRipgrep(ripgrep, query, files);
    if ('refused' in expected) found.refused += 1;
    else if (expected.text !== '') found.something += 1;
    const actual = await askGrep(bench, query);
    if (JSON.stringify(actual) !== JSON.stringify(expected)) {
      differences.push({ query, ...firstDifference(expected, actual) });
    }
  }
  rmSync(directory, { recursive: true });
  // Else nothing would have been compared.
  expect(found.something).toBeGreaterThan(count / 4);
  expect(found.refused).toBeLessThan(count / 4);
  return differences;
}

type Answer = Awaited<ReturnType<typeof askGrep>>;

function firstDifference(expected: Answer, actual: Answer): object {
  const [theirs, ours] = [expected, actual].map((answer) =>
    'refused' in answer ? ['(refused)'] : answer.text.split('\n'),
  );
  const line = theirs?.findIndex((text, at) => text !== ours?.[at]) ?? 0;
  return { theirs: theirs?.at(line)?.slice(0, 200), ours: ours?.[line]?.slice(0, 200) };
}

describe('Grep answers random queries as ripgrep does', () => {
  it('over this repository and some packages', { timeout: 600_000 }, async () => {
    const files = readRepository();
    expect(Object.keys(files.contents).length).toBeLessThanOrEqual(2_500);
    const vocabulary: Vocabulary = {
      words: ['export', 'const', 'file', 'return', 'Error', 'ex', 'in', 'th', 'of', 'se', 'TODO'],
      globs: [
        '*.ts',
        '*.{js,mjs}',
        '!*.ts',
        'src/**',
        '*.md',
        '/*',
        'docs/',
        '**/test/**',
        '[a-m]*',
      ],
      types: ['ts', 'js', 'markdown', 'json', 'css', 'all', 'nope'],
      paths: ['src/core', 'docs', 'README.md', 'packages/react', 'src/core/', 'nowhere'],
    };
    const count = isSlowLane ? 500 : 20;
    expect(await findDifferences(files, { seed: 7, count, vocabulary })).toEqual([]);
  });

  const vocabulary: Vocabulary = {
    words: ['apple', 'an', 'ba', 'pp', 'in', 'one', 'two', 'end', 's', 'TODO', 'k'],
    globs: ['*.ts', '*.{ts,txt}', '!*.ts', 'lib/**', '*.txt', '[a-m]*', '**/*.md', 'lib', '!lib/'],
    types: ['ts', 'txt', 'md', 'go', 'all', 'nope'],
    paths: ['lib', 'app.ts', 'build', 'windows.txt', 'lib/', 'nowhere'],
  };

  it('over odd files', { timeout: 600_000 }, async () => {
    expect(await findDifferences(searchFixture, { seed: 1, count: 20, vocabulary })).toEqual([]);
  });

  it.runIf(isSlowLane)('over odd files, at length', { timeout: 3_600_000 }, async () => {
    const count = 10_000;
    expect(await findDifferences(searchFixture, { seed: 2, count, vocabulary })).toEqual([]);
  });
});
