/** Node's side of `#quickjs-wasm`; see quickjs-wasm.d.ts. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

let module: Promise<WebAssembly.Module> | undefined;

export function loadQuickjsWasm(): Promise<WebAssembly.Module> {
  return (module ??= compile());
}

async function compile(): Promise<WebAssembly.Module> {
  const path = createRequire(import.meta.url).resolve('quickjs-wasi/quickjs.wasm');
  return WebAssembly.compile(await readFile(path));
}
