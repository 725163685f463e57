// The host inside an isolate, as far as it goes today: the inline host with the sandbox engine's
// compiled module, over a workspace in memory that goes with the isolate.
import type { Host } from '../../agent/host.ts';
import { SdkError } from '../../core/errors.ts';
import { createMemoryWorkspace } from '../../workspace/memory-workspace.ts';
import { createInlineHost } from '../inline/create-inline-host.ts';

/** What only the isolate's own module can give, and where to work. */
export interface EdgeHostOptions {
  /**
   * `quickjs.wasm` as a module: `import wasm from 'rockpool/quickjs.wasm'`. Isolates compile no
   * bytes, so nothing else will do.
   */
  readonly wasm: WebAssembly.Module;
  /** Absolute, below the root. @defaultValue `/workspace` */
  readonly cwd?: string;
}

// An isolate has 128 MB for all that runs in it: the workspace, a call's copies and the guest's heap.
const limits = {
  maxFileBytes: 8 * 1024 * 1024,
  maxMemoryBytes: 32 * 1024 * 1024,
};

// A quarter of the isolate at most, and less of it for bitmaps: what is decoded anew costs time only.
const search = { maxTextBytes: 16 * 1024 * 1024, bitsPerTrigram: 4, readsAhead: false } as const;

/**
 * Makes a host for one isolate. Dispose it when done; its workspace goes with it.
 *
 * @throws SdkError `bad-usage` when `wasm` isn't a compiled module, or the working directory can't be.
 */
export async function createEdgeHost(options: EdgeHostOptions): Promise<Host> {
  const { wasm, cwd } = options;
  if (!(wasm instanceof WebAssembly.Module)) {
    throw new SdkError(
      'bad-usage',
      "createEdgeHost needs wasm as a compiled WebAssembly.Module: import it with import wasm from 'rockpool/quickjs.wasm'.",
      { data: { given: typeof wasm } },
    );
  }
  const workspace = await createMemoryWorkspace({ search });
  const host = await createInlineHost({
    workspace,
    loadWasm: () => Promise.resolve(wasm),
    limits,
    ...(cwd !== undefined && { cwd }),
  });
  return {
    ...host,
    kind: 'edge',
    async [Symbol.asyncDispose]() {
      await host[Symbol.asyncDispose]();
      await workspace[Symbol.asyncDispose]();
    },
  };
}
