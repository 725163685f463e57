// A project's configuration comes from whoever wrote the project, and is read where modules are looked for.
import { expect, it } from 'vitest';
import { findAliases } from '../../../src/repl/modules/path-aliases.ts';

function find(texts: Readonly<Record<string, string>>) {
  const read: string[] = [];
  const aliases = findAliases(
    {
      existsSync: (path) => path in texts,
      statSync: (path) => ({ isFile: () => path in texts, isDirectory: () => false }),
      readFileSync(path) {
        read.push(path);
        return texts[path] ?? '';
      },
    },
    ['/app'],
  );
  return { aliases, read };
}

it.each([
  ['texts', `{"${'\\"'.repeat(300_000)}`],
  ['comments', '/*'.repeat(300_000)],
])(
  'takes no time that grows with the square of %s without an end',
  (_, text) => {
    // One that took the square of its length would outlast the test's own time.
    expect(find({ '/app/tsconfig.json': text }).aliases).toMatchObject({ baseUrl: undefined });
  },
  15_000,
);

it('reads each configuration once, however they name each other', () => {
  const names = ['/app', '/app/a', '/app/b', '/app/c', '/app/d', '/app/e', '/app/f'];
  const config = { extends: ['../tsconfig.json'], references: names.map((path) => ({ path })) };
  const own = { ...config, compilerOptions: { paths: { '@/*': ['src/*'] } } };
  const texts = Object.fromEntries(
    names.map((name) => [
      `${name}/tsconfig.json`,
      JSON.stringify(name === '/app/f' ? own : config),
    ]),
  );
  const { aliases, read } = find(texts);
  expect(aliases?.paths.get('@/*')).toEqual(['/app/f/src/*']);
  expect(read.length).toBeLessThanOrEqual(names.length);
}, 15_000);
