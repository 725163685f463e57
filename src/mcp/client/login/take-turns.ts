// Runs work with the same name one at a time: in all tabs if the platform has locks, otherwise in
// this realm. So a refresh token that is valid once is used once.

/** The used part of the platform's locks. */
interface Locks {
  request<Value>(name: string, work: () => Promise<Value>): Promise<Value>;
}

export function createTurns(): <Value>(name: string, work: () => Promise<Value>) => Promise<Value> {
  const { navigator = {} } = globalThis as { readonly navigator?: { readonly locks?: Locks } };
  const { locks } = navigator;
  if (locks) return (name, work) => locks.request(`rockpool-mcp-login ${name}`, work);
  const last = new Map<string, Promise<unknown>>();
  return async (name, work) => {
    const before = last.get(name);
    const turn = (async () => {
      // The caller of the earlier work gets its error.
      await before?.catch(() => undefined);
      return work();
    })();
    last.set(name, turn);
    try {
      return await turn;
    } finally {
      if (last.get(name) === turn) last.delete(name);
    }
  };
}
