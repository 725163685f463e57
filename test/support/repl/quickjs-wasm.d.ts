/**
 * The sandbox engine's wasm for portable tests, by each runtime's own way: vitest.config.ts points
 * `#quickjs-wasm` at quickjs-wasm.<project>.ts.
 */
declare module '#quickjs-wasm' {
  /** The engine, compiled once for all files of tests that share a realm. */
  export function loadQuickjsWasm(): Promise<WebAssembly.Module>;
}

declare module 'quickjs-wasi/quickjs.wasm' {
  const module: WebAssembly.Module;
  export default module;
}
