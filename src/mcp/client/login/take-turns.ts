// One at a time by name: in all tabs where the platform has locks, else in this realm. So a refresh token that holds
// once is used once.

/** The platform's locks, as much as is used of them. */
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
      // Its own caller hears of it.
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
