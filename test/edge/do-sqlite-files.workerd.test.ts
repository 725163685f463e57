// The contract of file systems on a real Durable Object's SQLite: what is called runs in the object.
import { env } from 'cloudflare:workers';
import { runInDurableObject } from 'cloudflare:test';
import { openDoSqliteLog } from '../../src/workspace/drivers/do-sqlite.ts';
import type { FileSystem } from '../../src/workspace/files/file-system.ts';
import { openWorkspace } from '../../src/workspace/open-workspace.ts';
import { describeFileSystem } from '../contract/file-system.contract.ts';

let objects = 0;

/** Each of the target's calls in the object, and what it hands out (handles) as well. */
function inside<Target extends object>(object: DurableObjectStub, target: Target): Target {
  return new Proxy(target, {
    get(_target, name) {
      const found: unknown = Reflect.get(target, name, target);
      // A watch is an iterator at once, and waits for nothing of the object's.
      if (typeof found !== 'function' || name === 'watch') return found;
      return (...parameters: unknown[]) =>
        runInDurableObject(object, async () => {
          const value: unknown = await found.apply(target, parameters);
          return isHandle(value) ? inside(object, value) : value;
        });
    },
  });
}

function isHandle(value: unknown): value is object {
  return typeof value === 'object' && value !== null && 'close' in value;
}

describeFileSystem('Workspace.fs on do-sqlite', async () => {
  objects += 1;
  const object = env.STORE.getByName(`do-sqlite files ${objects}`);
  const root = '/contract';
  const fs = await runInDurableObject(object, async (_instance, { storage }) => {
    const workspace = await openWorkspace(openDoSqliteLog(storage), { name: 'files' });
    await workspace.fs.mkdir(root);
    return workspace.fs;
  });
  return { fs: inside<FileSystem>(object, fs), root };
});
