// Forty packages of a real registry, installed by ours and by npm. A slow lane: NPM_REGISTRY=<url> runs it,
// and without that it is left out and says so.
import { execFile } from 'node:child_process';
import { lstat, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createMemoryWorkspace } from '../../../src/workspace/memory-workspace.ts';
import { createNpm } from '../../../src/workspace/npm/npm.ts';

const registry = process.env['NPM_REGISTRY'];
const directory = '/app';

/** Small and large, with peers, bins, scopes, optional parts for one system, and versions that don't go together. */
const wanted = [
  ...['react@^19', 'react-dom@^19', 'vue@^3', 'svelte@^5', 'preact@^10', 'zod@^4', 'ajv@^8'],
  ...['lodash@^4', 'date-fns@^4', 'dayjs@^1', 'uuid@^11', 'nanoid@^5', 'semver@^7', 'ms@^2'],
  ...['express@^5', 'koa@^3', 'hono@^4', 'ws@^8', 'axios@^1', 'debug@^4', 'chalk@^5', 'yargs@^17'],
  ...['commander@^14', 'glob@^11', 'minimatch@^10', 'picomatch@^4', 'chokidar@^4', 'rimraf@^6'],
  ...['esbuild@^0.25', 'terser@^5', 'postcss@^8', 'prettier@^3', 'typescript@^5', 'eslint@^9'],
  ...['@babel/core@^7', '@types/node@^22', 'isomorphic-git@^1', 'pako@^2', 'immer@^10', 'rxjs@^7'],
];

/** Relative paths of all files, and what links lead to. */
async function listFiles(root: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const name of await readdir(root, { recursive: true })) {
    const stats = await lstat(join(root, name));
    if (stats.isFile()) found.set(name, (await readFile(join(root, name))).toString('base64'));
  }
  return found;
}

describe(`forty real packages${registry ? '' : ' (left out: NPM_REGISTRY is not set)'}`, () => {
  it.runIf(registry)(
    'are what npm installs of the lockfile, which it takes, and every range is satisfied',
    { timeout: 900_000 },
    async () => {
      await using workspace = await createMemoryWorkspace();
      await workspace.fs.mkdir(directory);
      await workspace.fs.writeFile(
        `${directory}/package.json`,
        '{ "name": "app", "version": "1.0.0" }',
      );
      const npm = createNpm({ workspace, directory, registry: registry ?? '' });
      const startedAt = performance.now();
      const result = await npm.install(wanted);
      const ownMs = performance.now() - startedAt;
      const folder = await mkdtemp(join(tmpdir(), 'npm-real-'));
      try {
        for (const name of ['package.json', 'package-lock.json']) {
          await writeFile(
            join(folder, name),
            await workspace.fs.readFile(`${directory}/${name}`, 'utf8'),
          );
        }
        const run = promisify(execFile);
        const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier'];
        const places = ['--registry', registry ?? '', '--cache', join(folder, 'cache')];
        const there = { cwd: folder, maxBuffer: 100_000_000 };
        await run('npm', ['ci', ...flags, ...places], there);
        // npm's own judge of ranges: it fails where one isn't satisfied, or something is missing.
        await run('npm', ['ls', '--all', ...places], there);
        const theirs = await listFiles(join(folder, 'node_modules'));
        const names = await workspace.fs.readdir(`${directory}/node_modules`, { recursive: true });
        const [missing, other]: [string[], string[]] = [[], []];
        let files = 0;
        for (const name of names) {
          const path = `${directory}/node_modules/${name}`;
          if (!(await workspace.fs.lstat(path)).isFile()) continue;
          files += 1;
          const bytes = Buffer.from(await workspace.fs.readFile(path)).toString('base64');
          if (!theirs.has(name)) missing.push(name);
          else if (theirs.get(name) !== bytes) other.push(name);
          theirs.delete(name);
        }
        const lock = JSON.parse(
          await workspace.fs.readFile(`${directory}/package-lock.json`, 'utf8'),
        ) as { packages: Record<string, { optional?: boolean; os?: unknown; cpu?: unknown }> };
        const forOneSystem = Object.entries(lock.packages)
          .filter(([, one]) => one.optional === true && (one.os ?? one.cpu) !== undefined)
          .map(([path]) => path.replace(/^node_modules\//u, ''));
        // What only one system can run isn't fetched here.
        const more = [...theirs.keys()].filter(
          (name) =>
            name !== '.package-lock.json' &&
            !forOneSystem.some((path) => name.startsWith(`${path}/`)),
        );
        console.log(`${result.packages} packages, ${files} files in ${Math.round(ownMs)} ms`);
        expect({ missing, other, more }).toEqual({ missing: [], other: [], more: [] });
      } finally {
        await rm(folder, { recursive: true });
      }
    },
  );
});
