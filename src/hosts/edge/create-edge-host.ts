// The host inside an isolate, as far as it goes today: the inline host with the sandbox engine's
// compiled module, over a workspace in memory that goes with the isolate; and calls that it sends to
// other isolates, where it is given some.
import type { Host } from '../../agent/host.ts';
import { SdkError } from '../../core/errors.ts';
import { defaultMemoryBytes } from '../../core/tool/handler.ts';
import { createMemoryMedium } from '../../workspace/drivers/memory.ts';
import { createWriterWorkspace } from '../../workspace/commit/writer-workspace.ts';
import { openWorkspaceWriter } from '../../workspace/commit/writer.ts';
import { createInlineHost } from '../inline/create-inline-host.ts';
import type { WorkerToolEntry } from '../run-handler.ts';
import { createFanOutExecutor, type FanOutOptions } from './fan-out-executor.ts';
import { edgeSearch } from './search-memory.ts';

/** What only the isolate's own module can give, and where to work. */
export interface EdgeHostOptions {
  /**
   * `quickjs.wasm` as a module: `import wasm from 'rockpool/quickjs.wasm'`. Isolates compile no
   * bytes, so nothing else will do.
   */
  readonly wasm: WebAssembly.Module;
  /** Absolute, below the root. @defaultValue `/workspace` */
  readonly cwd?: string;
  /** The worker halves of tools of your own, for calls that run here. A built-in of the same name stays. */
  readonly handlers?: readonly WorkerToolEntry[];
  /** Sends calls to other isolates. Left out: all take turns on this one's thread. */
  readonly fanOut?: FanOutOptions;
}

// An isolate has 128 MB for all that runs in it: the workspace, a call's copies and the guest's heap.
const limits = {
  maxFileBytes: 8 * 1024 * 1024,
  maxMemoryBytes: defaultMemoryBytes / 4,
};

/**
 * Makes a host for one isolate. Dispose it when done; its workspace goes with it.
 *
 * @throws SdkError `bad-usage` when `wasm` isn't a compiled module, or the working directory or a limit
 * of the fan-out can't be.
 */
export async function createEdgeHost(options: EdgeHostOptions): Promise<Host> {
  const { wasm, cwd, handlers, fanOut } = options;
  if (!(wasm instanceof WebAssembly.Module)) {
    throw new SdkError(
      'bad-usage',
      "createEdgeHost needs wasm as a compiled WebAssembly.Module: import it with import wasm from 'rockpool/quickjs.wasm'.",
      { data: { given: typeof wasm } },
    );
  }
  const writer = await openWorkspaceWriter(createMemoryMedium(), { name: 'memory' });
  const workspace = createWriterWorkspace(writer);
  const host = await createInlineHost({
    workspace,
    loadWasm: () => Promise.resolve(wasm),
    limits,
    search: edgeSearch,
    ...(cwd !== undefined && { cwd }),
    ...(handlers && { handlers }),
  });
  const sending = fanOut && createFanOutExecutor({ local: host.executor, source: writer }, fanOut);
  return {
    ...host,
    kind: 'edge',
    executor: sending ?? host.executor,
    async [Symbol.asyncDispose]() {
      sending?.[Symbol.dispose]();
      await host[Symbol.asyncDispose]();
      await workspace[Symbol.asyncDispose]();
    },
  };
}
