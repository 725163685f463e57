/** workerd's side of `#quickjs-wasm`; see quickjs-wasm.d.ts. It refuses to compile bytes. */
import module from 'quickjs-wasi/quickjs.wasm';

export async function loadQuickjsWasm(): Promise<WebAssembly.Module> {
  return module;
}
