// Installs whose registry breaks off or that are stopped: each says so, leaves the project as it was, and fetches no more.
import { beforeEach, expect, it } from 'vitest';
import { createMemoryWorkspace } from '../../../src/workspace/memory-workspace.ts';
import { createNpm } from '../../../src/workspace/npm/npm.ts';
import type { Workspace } from '../../../src/workspace/workspace.ts';
import { createDeferred } from '../../../src/core/async/deferred.ts';

const directory = '/app';
let workspace: Workspace;

const toEntry = (name: string) => [
  `node_modules/${name}`,
  {
    version: '1.0.0',
    integrity: 'sha512-x',
    resolved: `https://registry.example/${name}/-/${name}-1.0.0.tgz`,
  },
];

beforeEach(async () => {
  workspace = await createMemoryWorkspace();
  await workspace.fs.mkdir(directory);
  const packages = Object.fromEntries(['a', 'b'].map(toEntry));
  const lock = JSON.stringify({ lockfileVersion: 3, packages });
  await workspace.fs.writeFile(`${directory}/package-lock.json`, lock);
});

/** `answer` is asked for each tarball, with the signal of its request. */
function install(
  answer: (name: string, signal: AbortSignal | undefined) => Promise<Response>,
  signal?: AbortSignal,
) {
  const npm = createNpm({
    workspace,
    directory,
    registry: 'https://registry.example/',
    fetch: (url, init) => answer(url.at(-11) ?? '', init.signal ?? undefined),
  });
  return npm.install([], signal && { signal });
}

/** Rejects when the signal is aborted, as `fetch` does. */
const forEver = (signal: AbortSignal | undefined) =>
  new Promise<Response>((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });

it('says that an answer broke off', async () => {
  const cut = new ReadableStream({
    start(controller) {
      controller.enqueue(new Uint8Array(10));
      controller.error(new TypeError('terminated'));
    },
  });
  const installing = install(async () => new Response(cut.tee()[0]));
  await expect(installing).rejects.toMatchObject({
    code: 'EIO',
    message: expect.stringContaining('a@1.0.0') as string,
  });
});

it('is stopped by its signal', async () => {
  const controller = new AbortController();
  let asked = 0;
  const installing = install((_name, signal) => {
    asked += 1;
    if (asked === 2) controller.abort();
    return forEver(signal);
  }, controller.signal);
  await expect(installing).rejects.toMatchObject({ code: 'aborted' });
});

it('ends the requests that are on their way where one package fails', async () => {
  const ended = createDeferred();
  const installing = install(async (name, signal) => {
    if (name === 'a') return new Response('no tarball');
    signal?.addEventListener('abort', () => ended.resolve(), { once: true });
    return forEver(signal);
  });
  await expect(installing).rejects.toMatchObject({ code: 'invalid-input' });
  await ended.promise;
});
