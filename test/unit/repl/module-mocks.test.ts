// What vitest and jest do when a test replaces modules.
import { describe, expect, it } from 'vitest';
import { openRepl } from '../../support/repl/repl.ts';

/** Runs test files over a small project; what fails is in the text. */
async function report(files: Readonly<Record<string, string>>): Promise<string> {
  const repl = await openRepl({
    'src/api.ts':
      'export const load = async (id: number) => { throw new Error(`the real load ${id}`); };\nexport const version = 1;\nexport class Client { ask() { return "real"; } static open() { return new Client(); } }\nexport default function plain() { return "real"; }',
    'src/user.ts':
      "import { load, version } from './api';\nexport const nameOf = async (id: number) => (await load(id)).name + version;",
    'src/index.ts': "export * from './api';\nexport * from './user';",
    ...files,
  });
  const result = await repl.run('await runTests()');
  return result.error ? `${result.error.name}: ${result.error.message}` : result.stdout;
}
const passed = /Tests {2}\d+ passed \(\d+\)/u;

describe('vi.mock', () => {
  it.each([
    [
      'replaces a module for all that import it, though it stands below the imports',
      "import { expect, it, vi } from 'vitest';\nimport { nameOf } from '../src/user';\nvi.mock('../src/api', () => ({ load: async (id: number) => ({ name: 'user ' + id + ' v' }), version: 2 }));\nit('asks', async () => expect(await nameOf(7)).toBe('user 7 v2'));",
    ],
    [
      'reaches what was made by vi.hoisted',
      "import { expect, it, vi } from 'vitest';\nimport { nameOf } from '../src/user';\nconst {\n  load, // a function\n} = vi.hoisted(() => ({ load: vi.fn() }));\nvi.mock('../src/api', () => ({ load, version: '' }));\nit('asks', async () => { load.mockResolvedValue({ name: 'x' }); expect(await nameOf(1)).toBe('x'); expect(load).toHaveBeenCalledWith(1); });",
    ],
    [
      'keeps what importOriginal gives',
      "import { expect, it, vi } from 'vitest';\nimport api, { load, version } from '../src/api';\nvi.mock(import('../src/api'), async (importOriginal) => ({ ...(await importOriginal()), load: vi.fn(async () => 5) }));\nit('is partial', async () => { expect(await load(1)).toBe(5); expect(version).toBe(1); expect(api()).toBe('real'); });",
    ],
    [
      'makes mock functions of a module without a factory',
      "import { expect, it, vi } from 'vitest';\nimport plain, { Client, load, version } from '../src/api';\nvi.mock('../src/api');\nit('is empty', () => { expect(load(1)).toBeUndefined(); expect(vi.isMockFunction(load)).toBe(true); expect(version).toBe(1); expect(plain()).toBeUndefined(); const client = new Client(); expect(client.ask()).toBeUndefined(); expect(client).toBeInstanceOf(Client); vi.mocked(client.ask).mockReturnValue('mine'); expect(client.ask()).toBe('mine'); expect(Client.open()).toBeUndefined(); });",
    ],
    [
      'only watches with spy: true',
      "import { expect, it, vi } from 'vitest';\nimport plain from '../src/api';\nvi.mock('../src/api', { spy: true });\nit('calls through', () => { expect(plain()).toBe('real'); expect(plain).toHaveBeenCalledTimes(1); });",
    ],
    [
      'gives the names to a module that hands on all of them',
      "import { expect, it, vi } from 'vitest';\nimport { load, nameOf } from '../src/index';\nvi.mock('../src/api', () => ({ load: async () => ({ name: 'n' }), version: 3 }));\nit('goes through', async () => { expect(await nameOf(1)).toBe('n3'); expect((await load(2) as any).name).toBe('n'); });",
    ],
    [
      'replaces what is not there, and what is built in',
      "import { expect, it, vi } from 'vitest';\nimport axios from 'axios';\nimport { readFile } from 'node:fs/promises';\nimport fs from 'fs';\nvi.mock('axios', () => ({ default: { get: vi.fn(() => 'got') } }));\nvi.mock('fs/promises', () => ({ readFile: async () => 'mine' }));\nit('does', async () => { expect(axios.get()).toBe('got'); expect(await readFile('x')).toBe('mine'); expect(typeof fs.readFileSync).toBe('function'); });",
    ],
    [
      'takes the file of __mocks__',
      "import { expect, it, vi } from 'vitest';\nimport { manual } from '../src/other';\nvi.mock('../src/other');\nit('is manual', () => expect(manual).toBe('by hand'));",
    ],
    [
      'lets the original import what imports it',
      "import { expect, it, vi } from 'vitest';\nimport { a } from '../src/circle-a';\nvi.mock('../src/circle-b', async (importOriginal) => ({ ...(await importOriginal()), b: () => 'mocked b' }));\nit('ends', () => expect(a()).toBe('a, mocked b'));",
    ],
    [
      'knows doMock, doUnmock, resetModules, importActual and importMock',
      "import { expect, it, vi } from 'vitest';\nit('does', async () => { vi.doMock('../src/api', () => ({ version: 9 })); expect((await import('../src/api')).version).toBe(9); const actual = await vi.importActual('../src/api'); expect(actual.version).toBe(1); expect(vi.isMockFunction((await vi.importMock('../src/api')).load)).toBe(true); vi.doUnmock('../src/api'); vi.resetModules(); expect((await import('../src/api')).version).toBe(1); });",
    ],
  ])('%s', async (_what, code) => {
    expect(
      await report({
        'test/one.test.ts': code,
        'src/other.ts': "export const manual = 'real';",
        'src/__mocks__/other.ts': "export const manual = 'by hand';",
        'src/circle-a.ts': "import { b } from './circle-b';\nexport const a = () => 'a, ' + b();",
        'src/circle-b.ts':
          "import { a } from './circle-a';\nexport const b = () => 'b';\nexport const both = () => a();",
      }),
    ).toMatch(passed);
  });

  it('holds for its file alone, and keeps the numbers of lines', async () => {
    const text = await report({
      'a.test.ts':
        "import { it, vi } from 'vitest';\nimport { version } from './src/api';\nvi.mock('./src/api', () => {\n  return { version: 5 };\n});\nit('fails here', () => {\n  throw new Error('v' + version);\n});",
      'b.test.ts':
        "import { expect, it } from 'vitest';\nimport { version } from './src/api';\nit('is real', () => expect(version).toBe(1));",
    });
    expect(text).toContain('Error: v5\n     at <anonymous> (a.test.ts:7)');
    expect(text).toContain('✓ is real');
  });

  it('holds while the tests run, and in the graph of the file that they import from', async () => {
    const text = await report({
      'a.test.ts': [
        "import { beforeEach, expect, it, vi } from 'vitest';",
        "import { count } from './src/count';",
        "vi.mock('./src/api', () => ({ load: async () => ({ name: 'r' }), version: 7 }));",
        "it('imports what is replaced', async () => expect(await (await import('./src/user')).nameOf(1)).toBe('r7'));",
        "it('imports the same module', async () => { count.n += 1; expect((await import('./src/count')).count.n).toBe(1); });",
        "it('begins anew', async () => { vi.resetModules(); expect((await import('./src/count')).count.n).toBe(0); vi.doMock('./src/count', () => ({ count: 9 })); });",
      ].join('\n'),
      'b.test.ts':
        "import { expect, it } from 'vitest';\nit('hears nothing of it', async () => expect((await import('./src/count')).count.n).toBe(0));",
      'src/count.ts': 'export const count = { n: 0 };',
    });
    expect(text).toContain('Tests  4 passed (4)');
  });

  it('says what it takes', async () => {
    const text = await report({
      'a.test.ts': "import { vi } from 'vitest';\nvi.mock(5);",
    });
    expect(text).toContain('vi.mock takes a path');
    const late = await report({
      'a.test.ts':
        "import { vi } from 'vitest';\nimport './src/api';\nconst version = 5;\nvi.mock('./src/api', () => ({ version }));",
    });
    expect(late).toContain('make what its factory uses by vi.hoisted');
  });
});

it('jest.mock is lifted above require, and the module is what the factory gives', async () => {
  expect(
    await report({
      'a.test.js':
        "const plain = require('./plain');\nconst { nameOf } = require('./src/user');\njest.mock('./plain', () => jest.fn(() => 'mocked'));\njest.mock('./src/api', () => ({ __esModule: true, default: 1, load: async () => ({ name: 'j' }), version: 0 }));\ntest('does', async () => { expect(plain()).toBe('mocked'); expect(await nameOf(1)).toBe('j0'); expect(jest.requireActual('./plain')()).toBe('real'); });",
      'plain.js': "module.exports = () => 'real';",
    }),
  ).toMatch(passed);
});
