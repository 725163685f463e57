/** The browser's side of `#quickjs-wasm`; see quickjs-wasm.d.ts. */
import url from 'quickjs-wasi/quickjs.wasm?url';

export async function loadQuickjsWasm(): Promise<WebAssembly.Module> {
  return WebAssembly.compileStreaming(fetch(url));
}
