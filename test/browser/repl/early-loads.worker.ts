// What a realm fetches for the Repl ahead of its cells. A worker of its own, since a page's tests share
// what any of them has loaded.
import { loadQuickjsWasm } from '#quickjs-wasm';
import { createServerFetch } from '../../../src/core/host-ports/fetch-port.ts';
import { warmTools } from '../../../src/hosts/run-handler.ts';
import { createReplSession } from '../../../src/repl/session/session.ts';
import { workers } from '../../../src/tools/workers.ts';

/** Resolves when a file of this name has been fetched. */
function fetched(name: RegExp): Promise<void> {
  return new Promise((resolve) => {
    new PerformanceObserver((list) => {
      if (list.getEntries().some((entry) => name.test(entry.name))) resolve();
    }).observe({ type: 'resource', buffered: true });
  });
}

const parts = /\/guest-world\.ts/u;

const steps: Record<string, () => Promise<void>> = {
  async warm() {
    const network = createServerFetch(() => Promise.reject(new Error('none')));
    const realm = {
      loadWasm: loadQuickjsWasm,
      network,
      keep: <T>(_key: string, make: () => T) => make(),
    };
    const ports = { entries: workers, realm: { ...realm, drop() {}, [Symbol.dispose]() {} } };
    await Promise.all([warmTools(['Repl'], ports), fetched(parts)]);
  },
  async restore() {
    const session = createReplSession({ loadEngine: () => new Promise(() => {}) });
    const none = () => {
      throw new Error('No cell runs.');
    };
    void session.run({
      code: '1',
      cwd: '/',
      fs: new Proxy({} as never, { get: none }),
      contents: { newest: none, idOf: none, isAbsent: false, bring: none },
      fileChanges: none,
      heldBytes: none,
      rollback: none,
      savedState: new Uint8Array(1),
    });
    await fetched(parts);
  },
};

addEventListener('message', ({ data }: MessageEvent<string>) => {
  void steps[data]?.().then(() => postMessage('done'));
});
