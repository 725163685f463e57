// The realm of a tool worker: fetches and compiles the sandbox engine, and keeps what handlers keep
// between calls.
import { SdkError } from '../../core/errors.ts';
import { createPageFetch } from '../../core/fetch-port.ts';
import type { WasmRest } from '../../core/handler.ts';
import { loadOnce } from '../../core/load-once.ts';
import { createKeptValues } from '../kept-values.ts';
import type { HostRealm } from '../run-handler.ts';
import type { ToolWorkerSetup } from './protocol.ts';

/** Dispose it to dispose all that handlers keep in it. */
export function createWorkerRealm({ wasmUrl, wasmRestUrl }: ToolWorkerSetup): HostRealm {
  return {
    ...createKeptValues(),
    // A worker is of its page's origin.
    network: createPageFetch((url, init) => fetch(url, init), location.hostname),
    loadWasm: loadOnce(() => compile(wasmUrl)),
    wasmRest: createWasmRest(wasmRestUrl),
  };
}

function createWasmRest(url: string): WasmRest {
  let compiled: WebAssembly.Module | undefined;
  return {
    load: loadOnce(async () => (compiled ??= await compile(url))),
    loadNow: (timeoutMs) => (compiled ??= compileNow(url, timeoutMs)),
  };
}

/** What fetching and compiling in the background takes, while this thread does nothing else. */
function compileNow(url: string, timeoutMs: number): WebAssembly.Module {
  const request = new XMLHttpRequest();
  request.open('GET', url, false);
  request.responseType = 'arraybuffer';
  // Whole, and 0 would be without end.
  request.timeout = Math.max(1, Math.floor(timeoutMs));
  try {
    request.send();
  } catch (error) {
    const isLate = error instanceof DOMException && error.name === 'TimeoutError';
    throw isLate ? notInTime(url, request.timeout) : notFetched(url, error);
  }
  if (!isSuccess(request.status)) throw notThere(url, request.status);
  try {
    return new WebAssembly.Module(request.response as ArrayBuffer);
  } catch (error) {
    throw toWasmError(error, notWasm(url));
  }
}

const isSuccess = (status: number) => status >= 200 && status < 300;

async function compile(url: string): Promise<WebAssembly.Module> {
  const response = await fetchWasm(url);
  try {
    // Many servers send wasm as application/octet-stream, which compileStreaming refuses.
    const isLabelled = response.headers.get('content-type')?.startsWith('application/wasm');
    return isLabelled
      ? await WebAssembly.compileStreaming(response)
      : await WebAssembly.compile(await response.arrayBuffer());
  } catch (error) {
    throw toWasmError(error, notWasm(url));
  }
}

async function fetchWasm(url: string): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url);
  } catch (error) {
    throw notFetched(url, error);
  }
  if (response.ok) return response;
  throw notThere(url, response.status);
}

function notFetched(url: string, cause: unknown): SdkError {
  return new SdkError(
    'unsupported-environment',
    `The Repl's engine could not be fetched from ${url}. Check the network, that the file is there ` +
      '(pass its URL as assets.wasm, and that of its second part as assets.wasmRest) and that the ' +
      "Content-Security-Policy's connect-src allows it.",
    { data: { url }, cause },
  );
}

function notInTime(url: string, timeoutMs: number): SdkError {
  return new SdkError(
    'unsupported-environment',
    `The second part of the Repl's engine did not come from ${url} within ${timeoutMs} ms. Check the ` +
      'network and that the server answers there (assets.wasmRest), then run the cell again, perhaps ' +
      'with a larger timeout.',
    { data: { url, timeoutMs } },
  );
}

function notThere(url: string, status: number): SdkError {
  return new SdkError(
    'unsupported-environment',
    `The Repl's engine is not at ${url} (status ${status}). Pass its URL as assets.wasm, and that ` +
      'of its second part as assets.wasmRest.',
    { data: { url, status } },
  );
}

function notWasm(url: string): string {
  return (
    `What ${url} serves is no WebAssembly. Pass the engine's URL as assets.wasm, and that of its ` +
    'second part as assets.wasmRest.'
  );
}

/** Compiles the smallest module there is: fails where the page's policy forbids all wasm. */
export function checkWasm(): void {
  if (typeof WebAssembly === 'undefined') {
    throw new SdkError(
      'unsupported-environment',
      'This browser has no WebAssembly, which the Repl needs. Use a current browser.',
      { data: { missing: 'WebAssembly' } },
    );
  }
  try {
    // The header of an empty module: "\0asm", version 1.
    void new WebAssembly.Module(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0));
  } catch (error) {
    throw toWasmError(error, 'This browser compiles no WebAssembly, which the Repl needs.');
  }
}

/** Browsers tell a policy's refusal from bad bytes only in the words of a CompileError. */
function toWasmError(error: unknown, otherwise: string): SdkError {
  const isPolicy = error instanceof Error && /content security policy|csp/iu.test(error.message);
  if (!isPolicy) return new SdkError('unsupported-environment', otherwise, { cause: error });
  return new SdkError(
    'unsupported-environment',
    'The Content-Security-Policy forbids WebAssembly in the tool worker. Add ' +
      "'wasm-unsafe-eval' to script-src, also in the header that the worker's file is served with.",
    { data: { missing: "'wasm-unsafe-eval'", directive: 'script-src' }, cause: error },
  );
}
