// The read-only mounts of other tabs, in which this tab must not write either. Each is a Web Lock,
// which ends with its tab, and a channel announces new ones. Created by create-browser-host.ts.
import type { SharedReadOnly } from '../../../workspace/mounts/mounts.ts';

/** For the workspace of that name in this origin. Resolves once the existing mounts are known. */
export async function openSharedReadOnly(workspace: string): Promise<SharedReadOnly & Disposable> {
  const [before, after] = ['rockpool-read-only:', `:${workspace}`];
  const toName = (path: string) => `${before}${path}${after}`;
  const own = new Set<string>();
  const others = new Set<string>();
  const closed = new AbortController();

  async function look(): Promise<void> {
    const { held = [] } = await navigator.locks.query();
    for (const { name = '' } of held) {
      if (!name.startsWith(before) || !name.endsWith(after)) continue;
      const path = name.slice(before.length, -after.length);
      if (own.has(path) || others.has(path) || closed.signal.aborted) continue;
      others.add(path);
      void follow(path);
    }
  }

  /** Waits until the tab has released the lock, then releases it at once. */
  async function follow(path: string): Promise<void> {
    try {
      await navigator.locks.request(toName(path), { signal: closed.signal }, () => {});
      others.delete(path);
      await look();
    } catch (error) {
      if (!closed.signal.aborted) throw error;
    }
  }

  const channel = new BroadcastChannel(toName(''));
  channel.addEventListener('message', () => void look());
  await look();
  return {
    others: () => [...others],
    async hold(path) {
      own.add(path);
      const release = await new Promise<() => void>((resolve, reject) => {
        const over = navigator.locks.request(toName(path), { signal: closed.signal }, () => {
          return new Promise<void>((letGo) => resolve(letGo));
        });
        over.catch(reject);
      });
      channel.postMessage('new');
      return {
        [Symbol.dispose]() {
          own.delete(path);
          release();
        },
      };
    },
    [Symbol.dispose]() {
      closed.abort();
      channel.close();
    },
  };
}
