// What TypeScript's `paths` and `baseUrl` mean, in a cell, in its tests, and in what it imports.
import { describe, expect, it } from 'vitest';
import { openRepl } from '../../support/repl.ts';

const project = {
  'src/lib/sum.ts': 'export const sum = (a: number, b: number): number => a + b;',
  'src/lib/index.ts': "export { sum } from './sum';",
  'src/app.ts': "import { sum } from '@/lib/sum'; export const three = sum(1, 2);",
};
const config = (compilerOptions: object) => JSON.stringify({ compilerOptions });

describe('an alias of tsconfig.json', () => {
  it.each([
    [
      'paths from the configuration',
      { 'tsconfig.json': config({ paths: { '@/*': ['./src/*'] } }) },
    ],
    [
      'paths from baseUrl',
      { 'tsconfig.json': config({ baseUrl: 'src', paths: { '@/*': ['*'] } }) },
    ],
    ['jsconfig.json', { 'jsconfig.json': config({ paths: { '@/*': ['src/*'] } }) }],
    [
      'comments and last commas',
      {
        'tsconfig.json':
          '\uFEFF// for all\n{ "compilerOptions": { /* "x": 1, */ "paths": { "@/*": ["./none/*", "./src/*",], }, }, }',
      },
    ],
    [
      'one that it extends',
      {
        'tsconfig.json': '{ "extends": ["@tsconfig/strictest", "./config/base"] }',
        'config/base.json': config({ paths: { '@/*': ['../src/*'] } }),
      },
    ],
    [
      'one of its parts',
      {
        'tsconfig.json':
          '{ "files": [], "references": [{ "path": "./tsconfig.node.json" }, { "path": "./tsconfig.app.json" }] }',
        'tsconfig.node.json': '{ "compilerOptions": {} }',
        'tsconfig.app.json': config({ baseUrl: '.', paths: { '@/*': ['./src/*'] } }),
      },
    ],
    [
      'the nearest configuration',
      {
        'tsconfig.json': config({ paths: { '@/*': ['./none/*'] } }),
        'src/tsconfig.json': config({ paths: { '@/*': ['${configDir}/*'] } }),
      },
    ],
  ])('leads to the file: %s', async (_what, files) => {
    const repl = await openRepl({ ...project, ...files });
    expect(await repl.value("import { three } from './src/app.ts'; three")).toBe('3');
  });

  it('is known to cells, to require and to tests', async () => {
    const repl = await openRepl({
      ...project,
      'tsconfig.json': config({ paths: { '@/*': ['./src/*'], lib: ['./src/lib'] } }),
      'src/sum.test.ts':
        "import { expect, it } from 'vitest'; import { sum } from '@/lib'; it('adds', () => expect(sum(1, 1)).toBe(2));",
    });
    expect(
      await repl.value(
        "import { sum } from '@/lib'; [sum(2, 2), require('lib').sum(3, 3), require.resolve('@/lib/sum'), (await runTests()).passed]",
      ),
    ).toBe("[ 4, 6, '/work/src/lib/sum.ts', 1 ]");
  });

  it('is tried before packages, by its longest pattern, and baseUrl after them', async () => {
    const repl = await openRepl({
      'tsconfig.json': config({ baseUrl: '.', paths: { 'a*': ['one/*'], 'ab/*': ['two/*'] } }),
      'two/c.ts': "export default 'two'",
      'node_modules/ab/c.js': "module.exports = 'package'",
      'node_modules/own/index.js': "module.exports = 'package'",
      'own/index.ts': "export default 'own'",
      'shared/x.ts': "export default 'shared'",
    });
    expect(
      await repl.value(
        "import c from 'ab/c'; import own from 'own'; import x from 'shared/x'; [c, own, x]",
      ),
    ).toBe("[ 'two', 'package', 'shared' ]");
  });

  it('is none for packages, and nothing where the configuration is broken or has a circle', async () => {
    const repl = await openRepl({
      'tsconfig.json':
        '{ "extends": "./tsconfig.json", "compilerOptions": { "paths": { "x": ["./x"] } } }',
      'x.ts': 'export default 1',
      'node_modules/pkg/index.js': "module.exports = require('x')",
      'broken/tsconfig.json': '{ "compilerOptions": ',
      'broken/a.ts': "import x from 'x'; export default x;",
    });
    expect(await repl.value("require('x').default")).toBe('1');
    const missed = async (code: string) => (await repl.run(code)).error?.message;
    expect(await missed("require('pkg')")).toContain("Cannot find module 'x'");
    expect(await missed("require('./broken/a.ts')")).toContain("Cannot find module 'x'");
  });
});
