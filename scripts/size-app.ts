/**
 * The application that sizes are measured on: test/bench/pages/size, built by Vite with the package as
 * it is published. Used by the bench (`size`), which sees what a browser asks for, and by the check,
 * which weighs those files again.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build, type Rolldown } from 'vite';
import { buildLibrary } from './build.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** A file of the application, as it goes over the wire. */
export interface SizedFile {
  readonly bytes: Uint8Array;
  readonly gzip: Uint8Array;
  readonly brotliBytes: number;
  /** Files that a browser fetches together with it. */
  readonly imports: readonly string[];
}

/** By what was done with the application: the files that a browser asked for. */
export type StageFiles = Record<string, readonly string[]>;

/** By path below the page. Names have no hashes, so that two builds can be compared by name. */
export async function buildSizeApp(): Promise<ReadonlyMap<string, SizedFile>> {
  const cache = join(root, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const dist = mkdtempSync(join(cache, 'size-'));
  try {
    await buildLibrary(dist);
    const result = await build({
      root: join(root, 'test/bench/pages/size'),
      base: './',
      configFile: false,
      logLevel: 'error',
      publicDir: false,
      resolve: { alias: [{ find: /^rockpool\/([\w-]+)$/, replacement: `${dist}/$1.js` }] },
      worker: { rolldownOptions: { output: named } },
      build: {
        write: false,
        target: 'es2024',
        chunkSizeWarningLimit: Infinity,
        rolldownOptions: { output: named },
      },
    });
    if (!('output' in result)) throw new Error('Building the application gave no single output.');
    return new Map(
      result.output.map((part) => {
        const bytes = Buffer.from(part.type === 'chunk' ? part.code : part.source);
        const imports = part.type === 'chunk' ? part.imports : [];
        return [part.fileName, { bytes, gzip: gzipSync(bytes), ...brotli(bytes), imports }];
      }),
    );
  } finally {
    rmSync(dist, { recursive: true });
  }
}

/** The files of these names, and all that they import. Names that aren't there weigh nothing. */
export function weigh(names: readonly string[], files: ReadonlyMap<string, SizedFile>) {
  const found = new Map<string, SizedFile>();
  const add = (name: string) => {
    const file = files.get(name);
    if (!file || found.has(name)) return;
    found.set(name, file);
    file.imports.forEach(add);
  };
  names.forEach(add);
  const all = [...found.values()];
  return {
    gzipBytes: all.reduce((sum, { gzip }) => sum + gzip.length, 0),
    brotliBytes: all.reduce((sum, file) => sum + file.brotliBytes, 0),
    requests: all.length,
  };
}

const named: Rolldown.OutputOptions = {
  entryFileNames: 'assets/[name].js',
  // Chunks of the package bring a hash of their own.
  chunkFileNames: ({ name }) => `assets/${name.replace(/-[\w-]{8}$/, '')}.js`,
  assetFileNames: 'assets/[name][extname]',
};

/** 5: what servers take that pack while they send. */
function brotli(bytes: Uint8Array): { brotliBytes: number } {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 5 };
  return { brotliBytes: brotliCompressSync(bytes, { params }).length };
}
