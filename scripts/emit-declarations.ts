/**
 * Writes the .d.ts files of the library. Each subpath is compiled under the runtime that it is for,
 * so that a declaration can't lean on types which that runtime lacks.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The programs, and the entry files that are compiled in each. */
const programs = {
  'tsconfig.portable.json': [
    'index',
    'inline',
    'serve-tools',
    'mcp',
    'lsp',
    'workspace',
    'git',
    'wire',
    'sema',
    'testing',
  ],
  'tsconfig.json': ['browser', 'react', 'stores'],
  'tsconfig.edge.json': ['edge', 'cloudflare-agents'],
  'tsconfig.server.json': ['server'],
} as const;

/** The types of a package that isn't installed here. Consumers have its own. */
const optionalPeer = 'src/hosts/edge/agents/agents-lifecycle.d.ts';

/** What `import wasm from 'rockpool/quickjs.wasm'` gives where isolates are built for. */
const wasmDeclaration = [
  "/** The sandbox's engine, compiled. */",
  'declare const engine: WebAssembly.Module;',
  'export default engine;',
  '',
].join('\n');

/**
 * Rejects with the compiler's own words when a program has errors.
 *
 * @param compilerOptions beside the project's own, such as `noCheck` for one that was checked elsewhere
 */
export async function emitDeclarations(
  root: string,
  outDir: string,
  compilerOptions: { readonly noCheck?: true } = {},
): Promise<void> {
  // Inside the tree: `extends` and `types` are looked up from where the file stands.
  const folder = mkdtempSync(join(root, 'node_modules', '.declarations-'));
  try {
    await Promise.all(
      Object.entries(programs).map(([config, entries]) => {
        const project = join(folder, config);
        writeFileSync(
          project,
          JSON.stringify({
            extends: join(root, config),
            compilerOptions: {
              ...compilerOptions,
              noEmit: false,
              declaration: true,
              emitDeclarationOnly: true,
              rootDir: join(root, 'src'),
              outDir,
            },
            include: [],
            exclude: [],
            files: [
              ...entries.map((entry) => join(root, 'src', `${entry}.ts`)),
              join(root, optionalPeer),
            ],
          }),
        );
        return compile(root, project);
      }),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
  nameLibraries(outDir);
  writeFileSync(join(outDir, 'quickjs.wasm.d.ts'), wasmDeclaration);
}

/** A consumer's own `lib` may lack `Symbol.dispose`, and the compiler drops references that source has. */
function nameLibraries(outDir: string): void {
  for (const name of readdirSync(outDir, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.d.ts')) continue;
    const file = join(outDir, name);
    const text = readFileSync(file, 'utf8');
    if (!/\b(?:Symbol\.(?:asyncD|d)ispose|(?:Async)?Disposable)\b/.test(text)) continue;
    writeFileSync(file, `/// <reference lib="esnext.disposable" />\n${text}`);
  }
}

/** By one checker: all programs run at once, and more checkers each would only infer shared types again. */
function compile(root: string, project: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const tsc = join(root, 'node_modules', '@typescript', 'native', 'bin', 'tsc');
    const child = spawn(process.execPath, [tsc, '-p', project, '--checkers', '1'], {
      stdio: 'inherit',
    });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`tsc -p ${project} failed with ${code}; its errors stand above.`));
    });
  });
}
