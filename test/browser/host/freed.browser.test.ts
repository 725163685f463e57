// A page that opens and closes hosts, as one that switches projects does, keeps nothing of those that are closed.
import wasm from 'quickjs-wasi/quickjs.wasm?url';
import { createBrowserHost } from 'rockpool/browser';
import { afterEach, expect, it } from 'vitest';
import { cdp } from 'vitest/browser';

const OriginalWorker = Worker;
afterEach(() => void (globalThis.Worker = OriginalWorker));

/** Apart, as the caller's variables would keep the host. */
async function openAndClose(): Promise<void> {
  const host = await createBrowserHost({
    workspace: `freed-${crypto.randomUUID()}`,
    driver: 'memory',
    assets: { wasm },
  });
  await host.workspace.fs.writeFile(`${host.cwd}/a.txt`, 'a');
  await host[Symbol.asyncDispose]();
}

it('frees the workers of a host that is closed', async () => {
  const made: WeakRef<Worker>[] = [];
  globalThis.Worker = class extends OriginalWorker {
    constructor(...args: ConstructorParameters<typeof OriginalWorker>) {
      super(...args);
      made.push(new WeakRef(this));
    }
  };
  await openAndClose();
  expect(made.length).toBeGreaterThan(1);
  await expect
    .poll(
      async () => {
        await cdp().send('HeapProfiler.collectGarbage');
        return made.filter((ref) => ref.deref() !== undefined).length;
      },
      { timeout: 10_000 },
    )
    .toBe(0);
});
