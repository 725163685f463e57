import { expect, it } from 'vitest';
import { openRepl } from '../../support/repl/repl.ts';

const files = {
  'src/a.ts': '',
  'src/b.test.ts': '',
  'src/deep/c.tsx': '',
  'src/.hidden/d.ts': '',
  'node_modules/x/index.ts': '',
  'readme.md': '',
  '.env': '',
};

it.each([
  ["'**/*.ts'", ['node_modules/x/index.ts', 'src/a.ts', 'src/b.test.ts']],
  ["'src/**'", ['src', 'src/a.ts', 'src/b.test.ts', 'src/deep', 'src/deep/c.tsx']],
  ["'*'", ['node_modules', 'readme.md', 'src']],
  ["'.*'", ['.env']],
  ["'src/.hidden/*'", ['src/.hidden/d.ts']],
  [
    "'**/*.{ts,tsx}', { exclude: ['node_modules/**', '**/*.test.ts'] }",
    ['src/a.ts', 'src/deep/c.tsx'],
  ],
  ["'**/*.ts', { exclude: (name) => name === 'node_modules' }", ['src/a.ts', 'src/b.test.ts']],
  ["['src/[ab].ts', 'src/?.ts', 'none/*']", ['src/a.ts']],
  ["'*/'", ['node_modules/', 'src/']],
  ["'*.ts*', { cwd: 'src' }", ['a.ts', 'b.test.ts']],
  ["'/work/src/*.ts'", ['/work/src/a.ts', '/work/src/b.test.ts']],
  ["'src/../readme.md'", ['readme.md']],
])('finds what it asks for: fs.globSync(%s)', async (args, expected) => {
  const repl = await openRepl(files);
  const { value, error } = await repl.run(`fs.globSync(${args}).sort()`);
  expect([error, value]).toEqual([undefined, expected]);
});

it('has the other forms of it', async () => {
  const repl = await openRepl(files);
  const { value, error } = await repl.run(`
    const byPromise = await Array.fromAsync(fs.promises.glob('src/*.ts'));
    const byCallback = await util.promisify(fs.glob)('src/*.ts');
    const entries = fs.globSync('src/*', { withFileTypes: true });
    [byPromise, byCallback, entries.map((one) => [one.name, one.isDirectory()])]`);
  const two = ['src/a.ts', 'src/b.test.ts'];
  const entries = [
    ['a.ts', false],
    ['b.test.ts', false],
    ['deep', true],
  ];
  expect([error, value]).toEqual([undefined, [two, two, entries]]);
});
