// The values that handlers keep in a realm between calls, such as a Repl's VM. Shared by a tool
// worker's realm and the inline one. Keys are `session/tool/…`; see `savedStateKey` in
// run-handler.ts.
import type { HostRealm } from './run-handler.ts';

/** An empty store. It owns its values: disposing it disposes them. */
export function createKeptValues(): Pick<HostRealm, 'keep' | 'drop' | typeof Symbol.dispose> {
  const kept = new Map<string, Disposable>();
  return {
    keep<T extends Disposable>(key: string, create: () => T): T {
      const value = kept.get(key) ?? create();
      kept.set(key, value);
      // The cast is safe: run-handler.ts prefixes the key by its tool, which keeps one type of
      // value under it.
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
