import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SdkError } from '../../../src/core/errors.ts';
import { createMemoryWorkspace } from '../../../src/workspace/memory-workspace.ts';
import { createNpm, type Npm } from '../../../src/workspace/npm/npm.ts';
import type { Workspace } from '../../../src/workspace/workspace.ts';
import { startNpmRegistry, type NpmRegistry } from '../../support/repl/npm-registry.ts';

const directory = '/app';
const packages = [
  { name: 'alpha', version: '1.0.0' },
  { name: 'alpha', version: '1.2.0' },
  { name: 'alpha', version: '2.0.0' },
  { name: 'beta', version: '1.0.0', dependencies: { alpha: '^1.0.0' } },
  { name: 'gamma', version: '1.0.0', dependencies: { alpha: '^2.0.0', delta: '*' } },
  {
    name: 'delta',
    version: '1.0.0',
    dependencies: { beta: '^1.0.0' },
    bin: { delta: './bin/run.sh' },
    files: { 'bin/run.sh': '#!/bin/sh\n' },
  },
  { name: '@scope/epsilon', version: '1.0.0', dependencies: { alpha: '^2.0.0', beta: '1.0.0' } },
  { name: 'zeta', version: '3.1.0', peerDependencies: { alpha: '1.x' } },
  { name: 'eta', version: '1.0.0', os: ['plan9'] },
  {
    name: 'theta',
    version: '1.0.0',
    hasInstallScript: true,
    scripts: { install: 'exit 1' },
    optionalDependencies: { eta: '1.0.0' },
  },
  { name: 'iota', version: '1.0.0', dependencies: { kappa: '1.0.0' } },
  { name: 'kappa', version: '1.0.0', dependencies: { iota: '1.0.0', renamed: 'npm:alpha@^1.0.0' } },
];

let registry: NpmRegistry;
let workspace: Workspace;
let npm: Npm;

beforeAll(async () => {
  registry = await startNpmRegistry(packages);
});

afterAll(() => registry[Symbol.asyncDispose]());

beforeEach(async () => {
  workspace = await createMemoryWorkspace();
  await workspace.fs.mkdir(directory);
  npm = createNpm({ workspace, directory, registry: registry.url });
});

const read = (path: string) => workspace.fs.readFile(`${directory}/${path}`, 'utf8');
const readJson = async (path: string) => JSON.parse(await read(path)) as Record<string, unknown>;
const write = (path: string, value: unknown) =>
  workspace.fs.writeFile(`${directory}/${path}`, JSON.stringify(value, undefined, 2));
const listPackages = async () => {
  const lock = (await readJson('package-lock.json')) as {
    readonly packages: Record<string, { readonly version?: string }>;
  };
  return Object.entries(lock.packages).map(([path, { version }]) => `${path} ${version}`);
};

const project = {
  name: 'app',
  version: '1.0.0',
  dependencies: { alpha: '^1.0.0', '@scope/epsilon': '1.0.0', theta: '1', zeta: '^3.0.0' },
  devDependencies: { iota: '1.0.0' },
};

/** What an install is refused with; the project is as it was. */
async function refused(install: () => Promise<unknown>): Promise<string> {
  const before = await workspace.treeHash();
  const error: unknown = await install().then(
    () => 'It was installed.',
    (thrown: unknown) => thrown,
  );
  expect(await workspace.treeHash()).toBe(before);
  expect(await workspace.roots.list()).toEqual([]);
  return SdkError.isInstance(error) ? `${error.code}: ${error.message}` : String(error);
}

describe('npm.install', () => {
  it('resolves what is named, hoists what doesn’t conflict, and nests the rest', async () => {
    await write('package.json', project);
    const result = await npm.install(['gamma@^1', 'kappa']);
    expect(await listPackages()).toEqual([
      ' 1.0.0',
      'node_modules/@scope/epsilon 1.0.0',
      'node_modules/@scope/epsilon/node_modules/alpha 2.0.0',
      'node_modules/alpha 1.2.0',
      'node_modules/beta 1.0.0',
      'node_modules/delta 1.0.0',
      'node_modules/eta 1.0.0',
      'node_modules/gamma 1.0.0',
      'node_modules/gamma/node_modules/alpha 2.0.0',
      'node_modules/iota 1.0.0',
      'node_modules/kappa 1.0.0',
      'node_modules/renamed 1.2.0',
      'node_modules/theta 1.0.0',
      'node_modules/zeta 3.1.0',
    ]);
    expect(result).toMatchObject({ packages: 12, unrunScripts: ['theta'] });
    expect(await read('node_modules/gamma/node_modules/alpha/index.js')).toContain('alpha@2.0.0');
    expect(await read('node_modules/renamed/index.js')).toContain('alpha@1.2.0');
    expect((await readJson('package.json'))['dependencies']).toEqual({
      '@scope/epsilon': '1.0.0',
      alpha: '^1.0.0',
      gamma: '^1',
      kappa: '^1.0.0',
      theta: '1',
      zeta: '^3.0.0',
    });
    expect(await read('node_modules/.bin/delta')).toBe('#!/bin/sh\n');
    const { mode } = await workspace.fs.stat(`${directory}/node_modules/.bin/delta`);
    expect(mode & 0o111).toBe(0o111);
    // What the system can't run, and the project works without, isn't there.
    expect(await workspace.lookUp([`${directory}/node_modules/eta`])).toEqual([null]);
  });

  it('installs exactly what the lockfile has, and keeps it at the next one', async () => {
    await write('package.json', { dependencies: {} });
    await npm.install(['alpha@1.0.0']);
    await write('package.json', { dependencies: { alpha: '^1.0.0' } });
    await npm.install(['beta']);
    expect(await listPackages()).toContain('node_modules/alpha 1.0.0');
    const before = await workspace.treeHash();
    await workspace.fs.writeFile(`${directory}/node_modules/alpha/index.js`, 'changed');
    await workspace.fs.writeFile(`${directory}/node_modules/alpha/stray.js`, '');
    const lock = await read('package-lock.json');
    const result = await npm.install();
    expect(result.packages).toBe(2);
    expect(await read('package-lock.json')).toBe(lock);
    expect(await read('node_modules/alpha/index.js')).toContain('alpha@1.0.0');
    expect(await workspace.lookUp([`${directory}/node_modules/alpha/stray.js`])).toEqual([null]);
    expect(await workspace.treeHash()).toBe(before);
  });

  it.runIf(spawnSync('npm', ['--version']).error === undefined)(
    'writes a lockfile that npm ci takes',
    async () => {
      await write('package.json', project);
      await npm.install(['gamma@^1', 'kappa']);
      const folder = await mkdtemp(join(tmpdir(), 'npm-'));
      try {
        for (const name of ['package.json', 'package-lock.json']) {
          await writeFile(join(folder, name), await read(name));
        }
        const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier'];
        const places = ['--registry', registry.url, '--cache', join(folder, 'cache')];
        await promisify(execFile)('npm', ['ci', ...flags, ...places], { cwd: folder });
        const paths = ['gamma/node_modules/alpha', 'alpha', '@scope/epsilon', 'renamed', 'zeta'];
        for (const path of paths) {
          const file = `node_modules/${path}/package.json`;
          expect(await readFile(join(folder, file), 'utf8')).toBe(await read(file));
        }
      } finally {
        await rm(folder, { recursive: true });
      }
    },
  );

  it('refuses a package that isn’t what its integrity says, and leaves all as it is', async () => {
    await write('package.json', { dependencies: { alpha: '1.0.0' } });
    await npm.install(['beta']);
    const lock = await read('package-lock.json');
    const wrong = lock.replace(/"integrity": "sha512-.{8}/, '"integrity": "sha512-AAAAAAAA');
    await workspace.fs.writeFile(`${directory}/package-lock.json`, wrong);
    expect(await refused(() => npm.install())).toMatch(
      /^invalid-input: alpha@1\.0\.0 isn't what it should be: its integrity is another than sha512-AAAAAAAA/,
    );
    const none = lock.replace(/"integrity": "[^"]*",/, '');
    await workspace.fs.writeFile(`${directory}/package-lock.json`, none);
    expect(await refused(() => npm.install())).toContain('has no integrity');
  });

  it('refuses lockfiles and wishes that lead anywhere else', async () => {
    const told = async (path: string, entry: object) => {
      await write('package-lock.json', { lockfileVersion: 3, packages: { [path]: entry } });
      return refused(() => npm.install());
    };
    const integrity = 'sha512-x';
    expect(await told('node_modules/../../x', { version: '1.0.0', integrity })).toContain(
      'no package',
    );
    expect(await told('node_modules/.bin', { version: '1.0.0', integrity })).toContain(
      'no package',
    );
    expect(
      await told('node_modules/x', { version: '1.0.0', integrity, resolved: 'git+ssh://h/x.git' }),
    ).toContain('comes from git+ssh://h/x.git, which is no registry');
    expect(await told('node_modules/x', { version: '1.0.0', integrity })).toContain(
      'The registry has no x@1.0.0',
    );
    expect(await told('node_modules/l', { link: true, resolved: '../../out' })).toContain(
      'leads out of the archive',
    );
    await write('package-lock.json', { lockfileVersion: 1, dependencies: {} });
    expect(await refused(() => npm.install())).toContain('has the version 1');
    await workspace.fs.rm(`${directory}/package-lock.json`);
    expect(await refused(() => npm.install())).toMatch(/^ENOENT: There is no package-lock\.json/);
    expect(await refused(() => npm.install(['../x']))).toContain('is no name of a package');
    expect(await refused(() => npm.install(['alpha@^9']))).toContain('no version of alpha for ^9');
    expect(await refused(() => npm.install(['alpha@github:a/b']))).toContain(
      'which is no registry',
    );
    expect(await refused(() => npm.install(['zeta', 'alpha@2.0.0']))).toContain('as its peer');
  });

  it('asks the host’s registry alone, and says what it answers', async () => {
    const answers: string[] = [];
    const asking = (answer: Response) =>
      createNpm({
        workspace,
        directory,
        registry: 'https://registry.example/npm',
        fetch: async (url) => {
          answers.push(url);
          return answer;
        },
      });
    const html = () => new Response('<html>Sign in</html>');
    expect(await refused(() => asking(html()).install(['alpha']))).toContain(
      'gives no package for alpha',
    );
    expect(
      await refused(() => asking(new Response('', { status: 401 })).install(['alpha'])),
    ).toContain('answers 401');
    const entry = {
      version: '1.0.0',
      integrity: 'sha512-x',
      resolved: 'https://elsewhere.example/a/-/a-1.0.0.tgz',
    };
    await write('package-lock.json', { lockfileVersion: 3, packages: { 'node_modules/a': entry } });
    expect(await refused(() => asking(html()).install())).toContain(
      "a@1.0.0 isn't what it should be",
    );
    expect(answers.at(-1)).toBe('https://registry.example/npm/a/-/a-1.0.0.tgz');
  });
});
