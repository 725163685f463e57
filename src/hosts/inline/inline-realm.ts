// The realm of calls that run on the agent's own thread: what a tool worker's realm is, without a
// worker. Made by `inline-executor.ts`, and made anew after a call had to be abandoned.
import type { HostRealm } from '../run-handler.ts';

/** Dispose it to dispose all that handlers keep in it. */
export function createInlineRealm(loadWasm: () => Promise<WebAssembly.Module>): HostRealm {
  const kept = new Map<string, Disposable>();
  return {
    loadWasm,
    keep<T extends Disposable>(key: string, create: () => T): T {
      const value = kept.get(key) ?? create();
      kept.set(key, value);
      return value as T;
    },
    drop(stateKey) {
      for (const [key, value] of kept) {
        if (!key.startsWith(`${stateKey}/`)) continue;
        kept.delete(key);
        value[Symbol.dispose]();
      }
    },
    [Symbol.dispose]() {
      for (const value of kept.values()) value[Symbol.dispose]();
      kept.clear();
    },
  };
}
