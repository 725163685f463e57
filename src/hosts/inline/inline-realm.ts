// The realm of calls on the agent's own thread, equivalent to a tool worker's realm. Created by
// `inline-executor.ts`, and again after a call was abandoned.
import { createServerFetch } from '../../core/host-ports/fetch-port.ts';
import { loadOnce } from '../../core/async/load-once.ts';
import { createKeptValues } from '../kept-values.ts';
import type { HostRealm } from '../run-handler.ts';

/** Dispose it to dispose everything that handlers keep in it. */
export function createInlineRealm(
  loadWasm: () => Promise<WebAssembly.Module>,
  onWork?: (ms: number) => void,
): HostRealm {
  const network = createServerFetch((url, init) => fetch(url, init));
  return {
    ...createKeptValues(),
    loadWasm: loadOnce(loadWasm),
    network,
    noteWork: (ms) => onWork?.(ms),
  };
}
