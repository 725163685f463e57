/**
 * Looks into a packed tarball (the one argument). Is each target of `exports` in it, and has it the
 * values that its source exports? Leads each link of its README and docs to a file in it? Does
 * TypeScript take its declarations in a project whose own `lib` has neither Disposable nor a
 * bundler's types? Called by check-package.ts.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

interface Manifest {
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

/** The targets that a consumer can be led to: `rockpool-source` is for this tree alone. */
function listMissingTargets(folder: string, { exports }: Manifest): string[] {
  const targets = Object.values(exports).flatMap((target) =>
    typeof target === 'string'
      ? [target]
      : Object.entries(target).flatMap(([condition, path]) =>
          condition === 'rockpool-source' ? [] : [path],
        ),
  );
  return targets.filter((path) => !existsSync(join(folder, path)));
}

/** Values that an entry's source exports by name, and its module in the tarball doesn't. */
function listMissingExports(folder: string, { exports }: Manifest): string[] {
  return Object.values(exports).flatMap((target) => {
    if (typeof target === 'string') return [];
    const { 'rockpool-source': source, default: built } = target;
    if (!source?.endsWith('.ts') || built === undefined) return [];
    const there = new Set(listExports(join(folder, built)));
    return listExports(join(root, source)).flatMap((name) =>
      there.has(name) ? [] : [`${built} has no ${name}`],
    );
  });
}

/** What a module exports by lists of names; types are no values. */
function listExports(path: string): string[] {
  const lists = readFileSync(path, 'utf8').matchAll(/^export ?\{([^}]*)\}/gm);
  return [...lists].flatMap(([, list = '']) =>
    list
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '' && !name.startsWith('type '))
      .map((name) => name.split(' as ').at(-1) ?? name),
  );
}

/** Links of Markdown files to files that aren't packed. */
function listDeadLinks(folder: string): string[] {
  const documents = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /^(?:README|docs[\\/].*)\.md$/.test(name),
  );
  if (documents.length < 2) return ['docs/ is not packed'];
  return documents.flatMap((document) => {
    const links = readFileSync(join(folder, document), 'utf8').matchAll(
      /\]\((?!https?:|#)([^)#\s]+)[^)]*\)/g,
    );
    return [...links].flatMap(([, path = '']) =>
      existsSync(resolve(folder, dirname(document), path)) ? [] : [`${document} -> ${path}`],
    );
  });
}

/** One import a subpath, and a use of what needs a library. */
function writeConsumer({ exports }: Manifest): string {
  const subpaths = Object.keys(exports).filter((path) => {
    const target = exports[path];
    // Its optional peer isn't installed here: scripts/cloudflare-agents.ts compiles it with that.
    if (path === './cloudflare-agents') return false;
    return typeof target === 'object' && 'types' in target && !path.endsWith('.wasm');
  });
  const imports = subpaths.map(
    (path, at) => `export * as entry${at} from 'rockpool${path.slice(1)}';`,
  );
  return `${imports.join('\n')}
import wasm from 'rockpool/quickjs.wasm';
import { createInlineHost } from 'rockpool/testing';

export const engine: WebAssembly.Module = wasm;
export const host = await createInlineHost({ loadWasm: () => Promise.resolve(wasm) });
await host[Symbol.asyncDispose]();
`;
}

/** The compiler's complaints about the package or about what uses it; those about other packages are theirs. */
function listTypeErrors(project: string, manifest: Manifest): string[] {
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(project, 'use.ts'), writeConsumer(manifest));
  const tsc = join(root, 'node_modules', '@typescript', 'native', 'bin', 'tsc');
  return ['nodenext', 'bundler'].flatMap((moduleResolution) => {
    const options = {
      module: moduleResolution === 'bundler' ? 'esnext' : 'nodenext',
      moduleResolution,
      target: 'ES2022',
      lib: ['ES2023', 'DOM', 'DOM.Iterable'],
      types: [],
      strict: true,
      noEmit: true,
      skipLibCheck: false,
      preserveSymlinks: true,
    };
    writeFileSync(
      join(project, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: options, files: ['use.ts'] }),
    );
    const { stdout } = spawnSync(process.execPath, [tsc, '-p', project, '--pretty', 'false'], {
      cwd: project,
      encoding: 'utf8',
    });
    return stdout
      .split('\n')
      .filter((line) => /^(?:use\.ts|node_modules[\\/]rockpool[\\/]|error)/.test(line))
      .map((line) => `${moduleResolution}: ${line}`);
  });
}

const [tarball] = process.argv.slice(2);
if (!tarball) throw new Error('usage: node scripts/package-contents.ts <tarball>');
const project = mkdtempSync(join(tmpdir(), 'package-contents-'));
try {
  const modules = join(project, 'node_modules');
  const folder = join(modules, 'rockpool');
  mkdirSync(modules);
  execFileSync('tar', ['-xzf', resolve(tarball), '-C', project]);
  renameSync(join(project, 'package'), folder);
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  for (const name of [...Object.keys(manifest.dependencies), 'react', '@types/react']) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), join(modules, name), 'junction');
  }
  const problems = [
    ...listMissingTargets(folder, manifest).map((path) => `not packed: ${path}`),
    ...listMissingExports(folder, manifest),
    ...listDeadLinks(folder).map((link) => `leads nowhere: ${link}`),
    ...listTypeErrors(project, manifest),
  ];
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
} finally {
  rmSync(project, { recursive: true });
}
