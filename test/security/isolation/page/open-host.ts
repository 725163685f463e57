// The host of an attack: the one that people get, or one that lacks a wall.
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import { createBrowserHost, type Host } from 'rockpool/browser';
import { createInlineExecutor } from '../../../../src/hosts/inline/inline-executor.ts';
import { createInlineHost } from '../../../../src/hosts/inline/create-inline-host.ts';
import { workers } from '../../../../src/tools/workers.ts';
import { createMemoryWorkspace } from '../../../../src/workspace/memory-workspace.ts';
import { createWeakRepl } from './weak-repl.ts';
import weakWorkerUrl from './weak-tool.worker.ts?worker&url';
import { weakenings } from './weakenings.ts';
import type { Weakness } from './weakness.ts';

const loadWasm = async () => WebAssembly.compileStreaming(fetch(wasmUrl));

/** Undefined: the real one, on the origin's own storage. Its limits are those of a small device. */
export async function openHost(weakness: Weakness | undefined, workspace: string): Promise<Host> {
  const limits = { maxMemoryBytes: 32 * 1024 * 1024 };
  switch (weakness) {
    case undefined:
    case 'rules':
    case 'view': {
      const host = await createBrowserHost({ workspace, assets: { wasm: wasmUrl } });
      return { ...host, limits };
    }
    case 'worker':
      return createInlineHost({ loadWasm, limits });
    case 'page-engine': {
      const files = await createMemoryWorkspace();
      const repl = createWeakRepl(weakenings[weakness] ?? {});
      const executor = createInlineExecutor({
        entries: [{ name: 'Repl', load: async () => repl }, ...workers],
        views: files,
        loadWasm,
      });
      return { ...(await createInlineHost({ workspace: files, limits })), executor };
    }
    default: {
      const host = await createBrowserHost({
        workspace,
        driver: 'memory',
        assets: { wasm: wasmUrl, toolWorker: `${weakWorkerUrl}?weakness=${weakness}` },
      });
      const strong = { ...host, limits };
      return weakness === 'deadline' ? { ...strong, executor: endless(host.executor) } : strong;
    }
  }
}

/** Nobody stops what it runs; only the host's own end does. */
function endless(executor: Host['executor']): Host['executor'] {
  return {
    start(...args) {
      const work = executor.start(...args);
      return { ...work, interrupt: () => {}, kill: () => {} };
    },
  };
}
