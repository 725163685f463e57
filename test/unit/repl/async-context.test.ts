// That the host ends a context with its job holds in each runtime; async-context.node.test.ts compares the rest with Node.
import { expect, it } from 'vitest';
import { openRepl } from '../../support/repl/repl.ts';

const storage =
  "const { AsyncLocalStorage } = require('async_hooks'); const storage = new AsyncLocalStorage(); const later = () => new Promise((resolve) => setTimeout(resolve, 1));";

it('a store is there after an await, in a module too, and nowhere else', async () => {
  const repl = await openRepl({
    'a.mjs':
      'export const ask = async (storage) => { await null; try { await Promise.reject(1); } catch { return storage.getStore(); } };',
  });
  const code = `${storage} const { ask } = await import('./a.mjs'); const work = (name) => storage.run(name, async () => { await later(); return [await ask(storage), storage.getStore()].join(); }); [...(await Promise.all(['a', 'b'].map(work))), storage.getStore()]`;
  expect(await repl.value(code)).toBe("[ 'a,a', 'b,b', undefined ]");
});

it('a session that goes on elsewhere begins without one, and keeps its storages', async () => {
  const repl = await openRepl();
  await repl.run(`${storage} storage.enterWith('left'); await later(); storage.getStore()`);
  const code =
    "[storage.getStore(), await storage.run('new', async () => { await later(); return storage.getStore(); })]";
  const savedState = repl.savedState();
  expect((await repl.successor().run(code, { savedState })).display).toBe("[ undefined, 'new' ]");
});
