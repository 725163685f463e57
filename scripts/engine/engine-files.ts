/**
 * The engine's wasm in two parts, made of the package's one file. The library's build puts them into
 * dist/; for pages that are built from source they stand in a cache.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import type { GuestCode } from '../../src/repl/engine.ts';
import { addCompiledBoot, readMinifiedBoot } from './compile-boot.ts';
import { engineHash, firstFunctions } from './first-functions.ts';
import { splitEngine, type SplitEngine } from './split-engine.ts';

const { resolve } = createRequire(import.meta.url);
const cache = fileURLToPath(new URL('../../node_modules/.cache/engine', import.meta.url));

/** The whole engine, as its package has it. */
export function readWholeEngine(): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(resolve('quickjs-wasi/quickjs.wasm')));
}

export function hashEngine(wasm: Uint8Array): string {
  return createHash('sha256').update(wasm).digest('hex');
}

/**
 * `boot` is what the core brings compiled.
 *
 * @throws Error where the package has another engine than the one that was looked at
 */
export async function makeEngineParts(boot: GuestCode): Promise<SplitEngine> {
  const wasm = readWholeEngine();
  if (hashEngine(wasm) !== engineHash) {
    throw new Error(
      'quickjs-wasi has another quickjs.wasm than the one whose first functions are known. Run ' +
        'node --conditions=rockpool-source scripts/engine/find-first-functions.ts.',
    );
  }
  const parts = splitEngine(wasm, decodeFunctions(firstFunctions), readNamedExports());
  return { ...parts, core: await addCompiledBoot(parts.core, wasm, boot) };
}

/** All words of the binding's code, so whatever it may call. And the table, which both parts share. */
function readNamedExports(): Set<string> {
  const binding = readFileSync(resolve('quickjs-wasi'), 'utf8');
  return new Set([...(binding.match(/\w+/g) ?? []), '__indirect_function_table']);
}

/** A bit for each function, by its number; in base64. */
export function encodeFunctions(functions: Iterable<number>): string {
  const numbers = [...functions];
  const bits = Buffer.alloc(Math.floor(Math.max(0, ...numbers) / 8) + 1);
  for (const index of numbers) bits[index >> 3] = (bits[index >> 3] ?? 0) | (1 << (index & 7));
  return bits.toString('base64');
}

/** The inverse of {@link encodeFunctions}. */
export function decodeFunctions(encoded: string): Set<number> {
  const bits = Buffer.from(encoded, 'base64');
  const functions = new Set<number>();
  bits.forEach((byte, at) => {
    for (let bit = 0; bit < 8; bit += 1) if (byte & (1 << bit)) functions.add(at * 8 + bit);
  });
  return functions;
}

const fileName = /^rockpool\/(quickjs-(?:core|rest)\.wasm)(\?.*)?$/;

/** Lets source import the parts by the names that they have in the package. */
export function engineParts(): Plugin {
  return {
    name: 'engine-parts',
    enforce: 'pre',
    async resolveId(id) {
      const [, name, query = ''] = fileName.exec(id) ?? [];
      return name === undefined ? undefined : `${await cachePart(name)}${query}`;
    },
  };
}

let minifiedBoot: Promise<GuestCode> | undefined;

/** Whatever the parts are made by, besides the world. */
const makers = [
  ...['engine-files.ts', 'compile-boot.ts', 'split-engine.ts'],
  ...['wasm-module.ts', 'wasm-code.ts', 'wasm-bytes.ts', 'first-functions.ts'],
  ...['../../src/repl/engines/compiled-boot.ts', '../../src/repl/text-hash.ts'],
].map((file) => new URL(file, import.meta.url));

/** Its place, for what is built from these sources and this package. */
async function cachePart(name: string): Promise<string> {
  const boot = await (minifiedBoot ??= readMinifiedBoot());
  const key = createHash('sha256').update(readWholeEngine()).update(boot.source);
  for (const file of [...makers, resolve('quickjs-wasi')]) key.update(readFileSync(file));
  const folder = join(cache, key.digest('hex').slice(0, 16));
  const place = join(folder, name);
  if (!existsSync(place)) {
    const { core, rest } = await makeEngineParts(boot);
    mkdirSync(folder, { recursive: true });
    writeWhole(join(folder, 'quickjs-core.wasm'), core);
    writeWhole(join(folder, 'quickjs-rest.wasm'), rest);
  }
  return place;
}

/** Nobody finds half of it: two builds may run at a time. */
function writeWhole(place: string, bytes: Uint8Array): void {
  const draft = join(dirname(place), `.${process.pid}.wasm`);
  writeFileSync(draft, bytes);
  renameSync(draft, place);
}
