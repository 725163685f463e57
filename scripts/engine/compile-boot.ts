/**
 * Compiles what every VM boots to the engine's bytecode, for the engine's first part to bring along.
 * Bytecode is one engine's own, and so is its section: another source's is never run.
 */
import { fileURLToPath } from 'node:url';
import { CompileFlags, QuickJS } from 'quickjs-wasi';
import { build } from 'vite';
import { bootSection, encodeCompiledBoot } from '../../src/repl/engines/compiled-boot.ts';
import type { GuestCode } from '../../src/repl/engine.ts';
import { minifyGuest } from '../minify-guest.ts';
import { concat, sectionIds, sized, text } from './wasm-bytes.ts';

/** The same module with a section more. */
export async function addCompiledBoot(
  wasm: Uint8Array,
  engine: Uint8Array<ArrayBuffer>,
  { source, filename }: GuestCode,
): Promise<Uint8Array<ArrayBuffer>> {
  const vm = await QuickJS.create({ wasm: await WebAssembly.compile(engine) });
  // Without files and lines (5 kB): the world's own frames are shown to nobody.
  const bytecode = vm.compile(source, filename, 0, CompileFlags.STRIP_DEBUG);
  vm.dispose();
  const content = concat([text(bootSection), encodeCompiledBoot(source, bytecode)]);
  return concat([wasm, Uint8Array.of(sectionIds.custom), sized(content)]);
}

/** What a VM boots where the library was built: the guest's source is minified there. */
export async function readMinifiedBoot(): Promise<GuestCode> {
  const entry = fileURLToPath(new URL('../../src/repl/world/world.ts', import.meta.url));
  const result = await build({
    configFile: false,
    logLevel: 'error',
    plugins: [minifyGuest()],
    build: { write: false, minify: false, lib: { entry, formats: ['es'] } },
  });
  const [output] = Array.isArray(result) ? result : [];
  const [chunk] = output?.output ?? [];
  if (!chunk) throw new Error('Building the guest world gave no module.');
  const module: { bootCode(): GuestCode } = await import(
    `data:text/javascript,${encodeURIComponent(chunk.code)}`
  );
  return module.bootCode();
}
