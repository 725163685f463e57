// Data that a framework keeps behind proxies, as Vue's `reactive` and Svelte's `$state` do. No proxy can be cloned.
import { afterAll, beforeAll, expect, it } from 'vitest';
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import {
  createBrowserHost,
  type BrowserHost,
} from '../../../src/hosts/browser/page/create-browser-host.ts';
import { OwnFiles } from '../../../docs/examples/own-files.ts';

let host: BrowserHost;

beforeAll(async () => {
  host = await createBrowserHost({
    workspace: `reactive-${crypto.randomUUID()}`,
    driver: 'memory',
    assets: { wasm: wasmUrl },
  });
});

afterAll(() => host[Symbol.asyncDispose]());

function reactive<T extends object>(value: T): T {
  return new Proxy(value, {
    get(target, key, receiver) {
      const member: unknown = Reflect.get(target, key, receiver);
      const isData =
        Array.isArray(member) ||
        (typeof member === 'object' &&
          member !== null &&
          Object.getPrototypeOf(member) === Object.prototype);
      return isData ? reactive(member as object) : member;
    },
  });
}

it('is taken by whatever sends it to a worker', async () => {
  const { fs, history, roots } = host.workspace;
  await host.importFiles(
    reactive([
      { path: 'a.txt', bytes: new TextEncoder().encode('one') },
      { path: 'b', target: 'a.txt' },
    ]),
    reactive({ exclude: ['**/c'] }),
  );
  expect(await fs.readFile('/workspace/b', reactive({ encoding: 'utf8' as const }))).toBe('one');
  const found: string[] = [];
  await host.searchFiles(
    reactive({ pattern: 'one', directory: '/workspace', globs: ['*.txt'] }),
    reactive({ signal: new AbortController().signal, onFile: ({ path }) => void found.push(path) }),
  );
  expect(found).toEqual(['/workspace/a.txt']);
  await host.git.init(reactive({ branch: 'main' }));
  await host.git.add(reactive(['a.txt']));
  const author = { name: 'Ann', email: 'ann@example.org' };
  await host.git.commit(reactive({ message: 'Begin', author }));
  expect(await host.git.log(reactive({ maxCount: 5 }))).toMatchObject([{ author }]);
  await fs.mkdir('/workspace/x/y', reactive({ recursive: true }));
  await fs.rm('/workspace/x', reactive({ recursive: true }));
  expect(await history.list(reactive({ limit: 5 }))).toEqual([]);
  expect(await roots.list(reactive({ kind: 'branch' as const }))).toEqual([]);
  const mount = await host.mount('notes', new OwnFiles(), reactive({ exclude: ['**/x'] }));
  await mount.unmount();
});
