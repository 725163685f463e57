// The realm of a tool worker: loads and compiles the sandbox engine, and keeps values of handlers
// between calls.
import { SdkError } from '../../../core/errors.ts';
import { createPageFetch } from '../../../core/host-ports/fetch-port.ts';
import { loadOnce } from '../../../core/async/load-once.ts';
import { createKeptValues } from '../../kept-values.ts';
import type { HostRealm } from '../../run-handler.ts';
import type { ToolWorkerSetup } from '../wire/protocol.ts';

/** Dispose of it to dispose of everything that handlers keep in it. */
export function createWorkerRealm({ wasmUrl }: ToolWorkerSetup): HostRealm {
  return {
    ...createKeptValues(),
    // A worker has its page's origin.
    network: createPageFetch((url, init) => fetch(url, init), location.hostname),
    loadWasm: loadOnce(() => compile(wasmUrl)),
  };
}

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
      "(pass its URL as assets.wasm) and that the Content-Security-Policy's connect-src allows it.",
    { data: { url }, cause },
  );
}

function notThere(url: string, status: number): SdkError {
  return new SdkError(
    'unsupported-environment',
    `The Repl's engine is not at ${url} (status ${status}). Pass its URL as assets.wasm.`,
    { data: { url, status } },
  );
}

function notWasm(url: string): string {
  return `What ${url} serves is no WebAssembly. Pass the engine's URL as assets.wasm.`;
}

/** Compiles the smallest possible module, which fails if the page's policy forbids wasm. */
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

/**
 * Browsers distinguish a policy's refusal from invalid bytes only by the text of the CompileError.
 */
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
