// Archives that stop coming: whoever imports one gives up, and the workspace is as it was.
import { packTar } from 'modern-tar';
import { expect, it } from 'vitest';
import { importTar } from '../../../src/workspace/archives/import-archive.ts';
import { createMemoryWorkspace } from '../../../src/workspace/memory-workspace.ts';
import { createDeferred } from '../../../src/core/async/deferred.ts';

const directory = '/workspace';

async function makeTar(): Promise<Uint8Array> {
  const body = 'x'.repeat(2_000);
  const header = (name: string) => ({ name, size: body.length });
  return packTar([
    { header: header('a.txt'), body },
    { header: header('b.txt'), body },
  ]);
}

it.each(['between two files', 'in the midst of a file'])(
  'are given up where a stream stalls %s',
  async (where) => {
    const workspace = await createMemoryWorkspace();
    const before = await workspace.treeHash();
    const tar = await makeTar();
    // A head of 512 bytes, 2 000 bytes in four blocks, and the next head.
    const part = tar.slice(0, where.startsWith('between') ? 5 * 512 : 5 * 512 + 1_000);
    const cancelled = createDeferred();
    const stalled = createDeferred();
    let sent = 0;
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1;
        if (sent === 1) controller.enqueue(part);
        else stalled.resolve();
        return sent === 1 ? undefined : new Promise<void>(() => undefined);
      },
      cancel: () => cancelled.resolve(),
    });
    const controller = new AbortController();
    const { signal } = controller;
    const importing = importTar(workspace, stream, { directory, signal });
    const refused = expect(importing).rejects.toMatchObject({ code: 'aborted' });
    await stalled.promise;
    controller.abort();
    await refused;
    await cancelled.promise;
    expect(await workspace.treeHash()).toBe(before);
    expect(await workspace.roots.list()).toEqual([]);
  },
);

it('are told of as aborted where the stream itself is what was aborted', async () => {
  const workspace = await createMemoryWorkspace();
  const controller = new AbortController();
  const { signal } = controller;
  const stream = new ReadableStream<Uint8Array>({
    pull(source) {
      // As the body of a fetch with the same signal.
      controller.abort();
      source.error(signal.reason);
    },
  });
  await expect(importTar(workspace, stream, { directory, signal })).rejects.toMatchObject({
    code: 'aborted',
  });
});
