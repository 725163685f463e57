// What handlers keep in a realm between calls (a Repl's VM): the half that a tool worker's realm and
// the inline one share. Keys are `session/tool/…`; see `savedStateKey` in run-handler.ts.
import type { HostRealm } from './run-handler.ts';

/** An empty store. It owns what is kept in it: dispose it to dispose all of that. */
export function createKeptValues(): Pick<HostRealm, 'keep' | 'drop' | typeof Symbol.dispose> {
  const kept = new Map<string, Disposable>();
  return {
    keep<T extends Disposable>(key: string, create: () => T): T {
      const value = kept.get(key) ?? create();
      kept.set(key, value);
      // A key belongs to one tool (run-handler.ts prefixes it), which keeps one kind of thing there.
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
