/** The browser's side of `#quickjs-wasm`; see quickjs-wasm.d.ts. */
import url from 'quickjs-wasi/quickjs.wasm?url';

let module: Promise<WebAssembly.Module> | undefined;

export function loadQuickjsWasm(): Promise<WebAssembly.Module> {
  return (module ??= WebAssembly.compileStreaming(fetch(url)));
}
