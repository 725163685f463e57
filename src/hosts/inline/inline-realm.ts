// The realm of calls that run on the agent's own thread: what a tool worker's realm is, without a
// worker. Made by `inline-executor.ts`, and made again after a call had to be abandoned.
import { createServerFetch } from '../../core/host-ports/fetch-port.ts';
import { loadOnce } from '../../core/async/load-once.ts';
import { createKeptValues } from '../kept-values.ts';
import type { HostRealm } from '../run-handler.ts';

/** Dispose it to dispose all that handlers keep in it. */
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
