// The page's streams, kept by a worker: over a real MessageChannel, in one thread.
import { afterAll, describe, expect, it } from 'vitest';
import { createFsWorkerClient } from '../../../src/hosts/browser/page/fs-worker-client.ts';
import { serveWorkspace } from '../../../src/hosts/browser/fs-worker/serve-workspace.ts';
import { createWorkspaceClient } from '../../../src/hosts/browser/page/workspace-client.ts';
import { answerTo } from '../../../src/workspace/state/state.ts';
import { openRoots } from '../../support/files/roots.ts';
import { readAll } from '../../support/read-all.ts';

const opened: Disposable[] = [];

afterAll(() => {
  for (const each of opened.splice(0)) each[Symbol.dispose]();
});

/** `page` is the client; `local` is the worker's side. `serve` begins another worker over it. */
async function openRemote() {
  const local = await openRoots({});
  const { workspace, writer } = local;
  const port = createFsWorkerClient();
  let number = 0;
  const serve = () => {
    const { port1, port2 } = new MessageChannel();
    const serving = serveWorkspace(port1, {
      workspace,
      writer,
      nextOrigin: () => ({ client: 'page', number: (number += 1) }),
      isLeading: () => false,
    });
    opened.push(serving);
    const applied = port.unanswered().flatMap(({ id, origin }) => {
      const seq = answerTo(writer.state, origin);
      return seq === undefined ? [] : [[id, seq] as const];
    });
    port.connect(port2, applied, workspace.seq());
    return serving;
  };
  const serving = serve();
  opened.push(port);
  const page = createWorkspaceClient({ port, close: async () => {} });
  return { workspace, writer, page, port, serve, serving };
}

const long = (at: number) => `${at} ${'x'.repeat(9000)}`;

describe("a page's streams", () => {
  it('have every method that the workspace has', async () => {
    const { page, workspace } = await openRemote();
    expect(Object.keys(page.streams).toSorted()).toEqual(Object.keys(workspace.streams).toSorted());
  });

  it('are appended to, read from any entry on, forked, listed and dropped', async () => {
    const { page, workspace } = await openRemote();
    const values = Array.from({ length: 400 }, (_, at) => long(at));
    const entries = values.map((value) => ({ value, contents: [new Uint8Array([7])] }));
    expect(await page.streams.append('s', entries, { at: 0 })).toEqual({ length: 400 });
    const read = await readAll(page.streams.read('s'));
    expect(read).toEqual(await readAll(workspace.streams.read('s')));
    expect(read.map(({ value }) => value)).toEqual(values);
    expect((await readAll(page.streams.read('s', 399))).map(({ n }) => n)).toEqual([399, 400]);
    expect(await readAll(page.streams.read('s', 401))).toEqual([]);
    const [content = 0] = read[9]?.contents ?? [];
    expect(await page.streams.readContent(content)).toEqual(new Uint8Array([7]));
    expect(await page.streams.fork('s', 'fork', { length: 3 })).toEqual({ length: 3 });
    expect(await page.streams.list()).toEqual(await workspace.streams.list());
    await page.streams.drop('s');
    expect((await page.streams.list()).map(({ id }) => id)).toEqual(['fork']);
  });

  it('refuse with the words that the worker has', async () => {
    const { page } = await openRemote();
    await page.streams.append('s', [{ value: 1 }], { at: 0 });
    const append = { stream: 's', at: 0, entries: [{ value: 2 }] };
    const refused = [
      page.streams.append('s', [{ value: 2 }], { at: 0 }),
      page.commit({ baseSeq: 0, changes: [] }, { author: { kind: 'agent' }, append }),
    ];
    for (const { reason } of (await Promise.allSettled(refused)) as PromiseRejectedResult[]) {
      expect(reason).toMatchObject({ code: 'EFENCED', data: { stream: 's', length: 1, at: 0 } });
    }
    const bad: Promise<unknown>[] = [
      page.streams.append('s', [{ value: 2n }], { at: 1 }),
      page.streams.append('s', null as never, { at: 1 }),
      page.streams.append('s', [{ value: 2 }], undefined as never),
      readAll(page.streams.read('none')),
      readAll(page.streams.read('s', 0)),
      page.streams.readContent('x' as never),
    ];
    for (const { reason } of (await Promise.allSettled(bad)) as PromiseRejectedResult[]) {
      expect(reason).toMatchObject({ code: 'invalid-input' });
    }
  });

  it('tell of every append in order, whoever made it, also over the end of a worker', async () => {
    const { page, workspace, port, serve, serving } = await openRemote();
    await workspace.streams.append('s', [{ value: 'before' }], { at: 0 });
    const told: unknown[] = [];
    let wake = () => {};
    const listening = page.streams.onAppend(({ stream, entries }) => {
      told.push(...entries.map(({ n, value }) => [stream, n, value]));
      wake();
    });
    const whenTold = async (count: number) => {
      while (told.length < count) await new Promise<void>((resolve) => (wake = resolve));
    };
    const first = page.streams.append('s', [{ value: 'page' }], { at: 1 });
    await first;
    await workspace.streams.append('s', [{ value: 'worker' }], { at: 2 });
    await page.streams.fork('s', 'fork');
    await page.streams.append('fork', [{ value: 'own' }], { at: 3 });
    await whenTold(3);
    serving[Symbol.dispose]();
    port.disconnect();
    const entries = Array.from({ length: 200 }, (_, at) => ({ value: long(at) }));
    await workspace.streams.append('s', entries, { at: 3 });
    serve();
    await whenTold(203);
    await page.streams.drop('s');
    await page.streams.append('s', [{ value: 'again' }], { at: 0 });
    await whenTold(204);
    listening[Symbol.dispose]();
    expect(told).toEqual([
      ['s', 2, 'page'],
      ['s', 3, 'worker'],
      ['fork', 4, 'own'],
      ...entries.map(({ value }, at) => ['s', at + 4, value]),
      ['s', 1, 'again'],
    ]);
  });

  it('tell of every change, a drop too, whoever made it', async () => {
    const { page, workspace } = await openRemote();
    let wake = () => {};
    const listening = page.streams.onChange(() => wake());
    const whenChanged = () => new Promise<void>((resolve) => (wake = resolve));
    const changes = [
      () => page.streams.append('s', [{ value: 1 }], { at: 0 }),
      () => workspace.streams.fork('s', 'fork'),
      () => workspace.streams.drop('s'),
    ];
    for (const change of changes) await Promise.all([whenChanged(), change()]);
    listening[Symbol.dispose]();
    expect((await page.streams.list()).map(({ id }) => id)).toEqual(['fork']);
  });
});
