// How the FS worker answers many requests at once, and what it has said by the time that it
// commits. It runs over a port whose messages are looked at, in one thread.
import { afterAll, describe, expect, it } from 'vitest';
import { createFsWorkerClient } from '../../../src/hosts/browser/page/fs-worker-client.ts';
import { serveWorkspace } from '../../../src/hosts/browser/fs-worker/serve-workspace.ts';
import { createWorkspaceClient } from '../../../src/hosts/browser/page/workspace-client.ts';
import { createMemoryMedium } from '../../../src/workspace/drivers/memory.ts';
import { createNextTask } from '../../../src/core/async/next-task.ts';
import type { WriterPort } from '../../../src/workspace/commit/writer-port.ts';
import { createWriterWorkspace } from '../../../src/workspace/commit/writer-workspace.ts';
import { openWorkspaceWriter } from '../../../src/workspace/commit/writer.ts';
import { withFiles } from '../../support/files/workspaces.ts';

const opened: Disposable[] = [];

afterAll(() => {
  for (const each of opened.splice(0)) each[Symbol.dispose]();
});

const author = { kind: 'user' } as const;

function writing(path: string) {
  const content = new TextEncoder().encode(path);
  const change = { type: 'write', path, content, mode: 0o644, mtimeMs: 0, baseVersion: 0 } as const;
  return { baseSeq: 0, changes: [change] };
}

/** As the FS worker has it; `log` notes appends, commits, and what is said to the page. */
async function openServed({ isLeading }: { readonly isLeading: boolean }) {
  const log: unknown[] = [];
  const medium = withFiles(createMemoryMedium(), (file) => ({
    append(bytes, durability) {
      if (bytes.length > 0) log.push('append');
      return file.append(bytes, durability);
    },
  }));
  const nextTask = createNextTask();
  const writer = await openWorkspaceWriter(medium, { name: 'test', gather: nextTask });
  const workspace = createWriterWorkspace(writer);
  const { port1, port2 } = new MessageChannel();
  const post = port1.postMessage.bind(port1);
  port1.postMessage = (message: unknown) => {
    const all = [message].flat() as readonly { readonly type: string }[];
    log.push(all.map(({ type }) => type));
    post(message);
  };
  // A commit needs no more of it.
  const noting = {
    state: writer.state,
    onStreams: (listener) => writer.onStreams(listener),
    commit(...given) {
      log.push('commit');
      return writer.commit(...given);
    },
  } as Pick<WriterPort, 'commit' | 'state' | 'onStreams'> as WriterPort;
  let number = 0;
  const serving = serveWorkspace(port1, {
    workspace,
    writer: noting,
    nextOrigin: () => ({ client: 'test', number: (number += 1) }),
    isLeading: () => isLeading,
  });
  const port = createFsWorkerClient();
  port.connect(port2, [], workspace.seq());
  opened.push(serving, port);
  const page = createWorkspaceClient({ port, close: async () => {} });
  log.length = 0;
  return { log, page };
}

describe('serveWorkspace', () => {
  it('writes what is asked for at once together, and tells the page of it together', async () => {
    const { log, page } = await openServed({ isLeading: true });
    const events: number[] = [];
    page.onChange(({ seq }) => events.push(seq));
    const paths = ['/a', '/b', '/c'];
    const results = await Promise.all(paths.map((path) => page.commit(writing(path), { author })));
    expect(results).toEqual([{ seq: 1 }, { seq: 2 }, { seq: 3 }]);
    expect(events).toEqual([1, 2, 3]);
    const three = (what: string) => [what, what, what];
    expect(log).toEqual([
      ...three('commit'),
      // Before anything is in the log: should the worker end now, its successor is asked for them.
      three('committing'),
      'append',
      three('change'),
      three('reply'),
    ]);
  });

  it('says what it commits before another tab can have it', async () => {
    const { log, page } = await openServed({ isLeading: false });
    await Promise.all(['/a', '/b'].map((path) => page.commit(writing(path), { author })));
    expect(log.slice(0, 4)).toEqual([['committing'], 'commit', ['committing'], 'commit']);
  });
});
