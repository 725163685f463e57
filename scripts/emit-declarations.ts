/**
 * Writes the .d.ts files of the library: each subpath is compiled under the runtime that it is for,
 * so that a declaration can't lean on types which that runtime lacks.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The programs, and the entry files that are compiled in each. */
const programs = {
  'tsconfig.portable.json': [
    'index',
    'inline',
    'serve-tools',
    'mcp',
    'workspace',
    'sema',
    'testing',
  ],
  'tsconfig.json': ['browser', 'react'],
  'tsconfig.edge.json': ['edge'],
} as const;

/** Rejects with the compiler's own words when a program has errors. */
export async function emitDeclarations(root: string, outDir: string): Promise<void> {
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
              noEmit: false,
              declaration: true,
              emitDeclarationOnly: true,
              rootDir: join(root, 'src'),
              outDir,
            },
            include: [],
            exclude: [],
            files: entries.map((entry) => join(root, 'src', `${entry}.ts`)),
          }),
        );
        return compile(root, project);
      }),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function compile(root: string, project: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const tsc = join(root, 'node_modules', '@typescript', 'native', 'bin', 'tsc');
    const child = spawn(process.execPath, [tsc, '-p', project], { stdio: 'inherit' });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`tsc -p ${project} failed with ${code}; its errors stand above.`));
    });
  });
}
