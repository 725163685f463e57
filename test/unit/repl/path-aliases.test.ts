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

it.each([
  [
    'vite.config.ts',
    "import { resolve } from 'node:path'; // alias: { 'x': './no' }\nexport default { resolve: { alias: { '@': resolve(__dirname, './src'), lib: '/lib', react: 'preact/compat', [name]: './other' } } };",
    { '@': '/app/src', '@/*': '/app/src/*', lib: '/app/lib', 'lib/*': '/app/lib/*' },
  ],
  [
    'vitest.config.mjs',
    "export default { test: { alias: [{ find: '~/', replacement: fileURLToPath(new URL('./src/', import.meta.url)) }, { find: /^a$/, replacement: './b' }] } };",
    { '~': '/app/src', '~/*': '/app/src/*' },
  ],
  [
    'jest.config.cjs',
    "module.exports = { moduleNameMapper: { '^@/(.*)$': '<rootDir>/src/$1', '\\\\.(css|less)$': 'identity-obj-proxy', '^config$': './config' } };",
    { '@/*': '/app/src/*', config: '/app/config' },
  ],
])('reads the aliases in %s', (name, text, expected) => {
  const { aliases } = find({ [`/app/${name}`]: text });
  expect(Object.fromEntries([...(aliases?.paths ?? [])].map(([key, [to]]) => [key, to]))).toEqual(
    expected,
  );
});

it.each(['`\\`', '"\\"', "'\\'", 'alias:{', 'alias: { ', '/*'])(
  'takes no time that grows with the square of a config full of %s',
  (piece) => {
    expect(find({ '/app/vite.config.js': piece.repeat(10_000) }).aliases).toBeUndefined();
  },
  15_000,
);

it('takes both: those of a config, and the paths of a tsconfig above it', () => {
  const { aliases } = find({
    '/app/tsconfig.json':
      '{ "compilerOptions": { "paths": { "@/*": ["./a/*"], "#/*": ["./b/*"] } } }',
    '/app/vite.config.js': "export default { resolve: { alias: { '@': './src' } } }",
  });
  expect([aliases?.paths.get('@/*'), aliases?.paths.get('#/*')]).toEqual([
    ['/app/src/*'],
    ['/app/b/*'],
  ]);
});
