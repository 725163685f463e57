import { describe, expect, it } from 'vitest';
import { SdkError } from '../../../src/core/errors.ts';
import type { Clock } from '../../../src/core/tool/ports.ts';
import type { FeedMessage } from '../../../src/workspace/feed/feed.ts';
import { toPlainState } from '../../../src/workspace/state/plain-state.ts';
import { emptyState } from '../../../src/workspace/state/state.ts';
import { createReplica, type Replica } from '../../../src/workspace/feed/replica.ts';
import { SearchService } from '../../../src/search/search-service.ts';
import { serveFeed } from '../../../src/workspace/feed/serve-feed.ts';
import { emptyRoot, withNode } from '../../../src/workspace/tree/tree.ts';
import { hashTree } from '../../../src/workspace/tree/tree-hash.ts';
import { createWriterWorkspace } from '../../../src/workspace/commit/writer-workspace.ts';
import type { WorkspaceWriter } from '../../../src/workspace/commit/writer.ts';
import { codeOf } from '../../contract/file-system.contract.ts';
import { openAccess, openReplicaOf, openTestWriter } from '../../support/files/workspaces.ts';

/** Fires when it is told to. */
function createHandClock(): Clock & { fire(): void; readonly delays: number[] } {
  const waiting = new Set<() => void>();
  const delays: number[] = [];
  return {
    delays,
    now: () => 0,
    after(delayMs, callback) {
      delays.push(delayMs);
      waiting.add(callback);
      return { [Symbol.dispose]: () => void waiting.delete(callback) };
    },
    fire() {
      const [first] = waiting;
      if (!first) throw new TypeError('Nothing waits.');
      waiting.delete(first);
      first();
    },
  };
}

const main = (minSeq: number) => ({ root: 'main', minSeq });

async function readAll(replica: Replica, minSeq: number): Promise<Record<string, string>> {
  const { fs } = await replica.openView(main(minSeq), openAccess('/'));
  const files: Record<string, string> = {};
  for (const { path } of await fs.walk('/')) files[path] = await fs.readFile(path, 'utf8');
  return files;
}

async function openFilled(): Promise<WorkspaceWriter> {
  const writer = await openTestWriter();
  const { fs } = createWriterWorkspace(writer);
  await fs.mkdir('/d');
  await fs.writeFile('/d/a', 'A');
  await fs.writeFile('/d/b', 'old');
  await fs.writeFile('/d/b', 'B');
  await fs.symlink('a', '/d/link');
  return writer;
}

describe('a replica', () => {
  it('holds what the writer holds: what was there, and what comes after', async () => {
    const writer = await openFilled();
    const { replica, workspace } = await openReplicaOf(writer);
    await workspace.fs.rename('/d', '/e');
    await workspace.fs.writeFile('/new', 'new');
    expect(replica.seq()).toBe(writer.seq);
    const files = { '/e/a': 'A', '/e/b': 'B', '/e/link': 'A', '/new': 'new' };
    expect(await readAll(replica, writer.seq)).toEqual(files);
    const view = await replica.openView(main(writer.seq), openAccess('/'));
    expect(view.fs.sync.statSync('/e/a').version).toBe(6);
    expect(view.fs.sync.readFileSync('/new', 'utf8')).toBe('new');
  });

  it('makes change sets that the writer takes, and sees them once they are acknowledged', async () => {
    const writer = await openFilled();
    const { replica, workspace } = await openReplicaOf(writer);
    const view = await replica.openView(main(0), openAccess('/'));
    view.fs.sync.writeFileSync('/d/a', 'changed');
    view.fs.sync.copyFileSync('/d/b', '/d/c');
    const changeSet = structuredClone(view.changeSet());
    if (!changeSet) throw new TypeError('The draft is empty.');
    const { seq } = await workspace.commit(changeSet, { author: { kind: 'agent' } });
    const files = { '/d/a': 'changed', '/d/b': 'B', '/d/c': 'B', '/d/link': 'changed' };
    expect(await readAll(replica, seq)).toEqual(files);
    expect(await codeOf(workspace.commit(changeSet, { author: { kind: 'agent' } }))).toBe(
      'ECONFLICT',
    );
  });

  it('gets the records that are written while its snapshot is being read', async () => {
    const writer = await openFilled();
    const { fs } = createWriterWorkspace(writer);
    const opening = openReplicaOf(writer);
    await fs.writeFile('/late', 'late');
    const { replica } = await opening;
    await replica.waitFor(writer.seq);
    expect((await readAll(replica, writer.seq))['/late']).toBe('late');
  });

  it('gets very large contents with a snapshot, and that only when a view is opened', async () => {
    const writer = await openFilled();
    const { replica, workspace, messages } = await openReplicaOf(writer);
    const types = () => messages.map(({ type }) => type).join();
    await workspace.fs.writeFile('/large', new Uint8Array(5_000_000).fill(7));
    await workspace.fs.writeFile('/late', 'late');
    expect(messages[1]).toMatchObject({ type: 'record', segment: undefined, isPending: true });
    expect([replica.seq(), types()]).toEqual([writer.seq, 'snapshot,record,record']);
    const { fs } = await replica.openView(main(writer.seq), openAccess('/'));
    expect(types()).toBe('snapshot,record,record,snapshot');
    expect(fs.sync.readFileSync('/large').at(-1)).toBe(7);
    expect(fs.sync.readFileSync('/late', 'utf8')).toBe('late');
    await replica.openView(main(0), openAccess('/'));
    expect(messages).toHaveLength(4);
  });

  it('fails who waits where there is no snapshot to be had, and asks again for the next', async () => {
    let subscriptions = 0;
    const clock = createHandClock();
    const replica = createReplica({ clock, subscribe: () => (subscriptions += 1) });
    const opening = replica.openView(main(0), openAccess('/'));
    replica.fail(new SdkError('EIO', 'The medium is gone.'));
    await expect(opening).rejects.toMatchObject({ code: 'EIO' });
    const again = replica.openView(main(0), openAccess('/'));
    expect(subscriptions).toBe(2);
    replica.receive({ type: 'snapshot', state: toPlainState(emptyState), segments: [] });
    expect((await again).fs.sync.readdirSync('/')).toEqual([]);
  });

  it('opens a view only once the asked record has arrived', async () => {
    const writer = await openFilled();
    const { replica, workspace } = await openReplicaOf(writer);
    let isOpen = false;
    const opening = replica.openView(main(writer.seq + 2), openAccess('/')).then(() => {
      isOpen = true;
    });
    await workspace.fs.writeFile('/x', '');
    await Promise.resolve();
    expect(isOpen).toBe(false);
    await workspace.fs.writeFile('/y', '');
    await opening;
    expect(isOpen).toBe(true);
  });

  it('keeps a view on the tree that it was opened on', async () => {
    const writer = await openFilled();
    const { replica, workspace } = await openReplicaOf(writer);
    const { fs } = await replica.openView(main(0), openAccess('/'));
    await workspace.fs.rm('/d', { recursive: true });
    expect(await fs.readFile('/d/a', 'utf8')).toBe('A');
  });

  it('subscribes anew when a record was lost, and loses nothing', async () => {
    const writer = await openFilled();
    const { fs } = createWriterWorkspace(writer);
    let feeds = 0;
    let feed: Disposable | undefined;
    let isDropping = false;
    const replica: Replica = createReplica({
      clock: createHandClock(),
      subscribe() {
        feeds += 1;
        feed?.[Symbol.dispose]();
        feed = serveFeed(writer, {
          send(message) {
            if (!(isDropping && message.type === 'record')) replica.receive(message);
          },
          onError: (error) => {
            throw error;
          },
        });
      },
    });
    await replica.waitFor(0);
    isDropping = true;
    await fs.writeFile('/lost', 'lost');
    isDropping = false;
    await fs.writeFile('/next', 'next');
    await replica.waitFor(writer.seq);
    expect([feeds, Object.keys(await readAll(replica, writer.seq))]).toEqual([
      2,
      ['/d/a', '/d/b', '/d/link', '/lost', '/next'],
    ]);
  });

  it('subscribes anew after each second of waiting, and gives up after ten', async () => {
    const clock = createHandClock();
    let subscriptions = 0;
    const replica = createReplica({ clock, subscribe: () => (subscriptions += 1) });
    const waiting = codeOf(replica.waitFor(5));
    for (let second = 0; second < 10; second += 1) clock.fire();
    expect(await waiting).toBe('worker-lost');
    expect([subscriptions, clock.delays]).toEqual([10, Array.from({ length: 10 }, () => 1000)]);
  });

  it('rejects who waits when it is disposed, and hears nothing more', async () => {
    const replica = createReplica({ clock: createHandClock(), subscribe: () => {} });
    const waiting = codeOf(replica.waitFor(0));
    replica[Symbol.dispose]();
    expect(await waiting).toBe('worker-lost');
    expect(await codeOf(replica.waitFor(0))).toBe('worker-lost');
    replica.receive({ type: 'snapshot', state: toPlainState(emptyState), segments: [] });
    expect(replica.seq()).toBe(-1);
  });

  it('searches what a snapshot of another era brought, though the numbers are the same', async () => {
    const service = new SearchService();
    const replica = createReplica({ clock: createHandClock(), subscribe: () => {} });
    const take = (text: string, era: string, seq: number) => {
      const bytes = new TextEncoder().encode(text);
      const file = { kind: 'file', content: 1, mode: 0o644, mtimeMs: 0, version: 1 } as const;
      const main = withNode(emptyRoot, '/a', { ...file, size: bytes.length });
      replica.receive({
        type: 'snapshot',
        state: toPlainState({ ...emptyState, seq, main }),
        segments: [{ data: bytes, contents: [1, 0, bytes.length] }],
        era,
      });
    };
    const seen = async (minSeq: number) => {
      const fs = service.over(await replica.openView(main(minSeq), openAccess('/')));
      const texts: unknown[] = [];
      const options = {
        isExplicit: false,
        maxFileBytes: 100,
        signal: new AbortController().signal,
        onProgress: () => {},
      };
      const { byPath } = await fs.search.list('/');
      await fs.search.visit(byPath, options, (_file, content) => {
        texts.push(content === 'unreadable' ? content : content.text);
      });
      return texts;
    };
    take('old', 'one', 1);
    expect(await seen(1)).toEqual(['old']);
    // Of the same era nothing is read anew: a content never changes.
    take('lie', 'one', 2);
    expect(await seen(2)).toEqual(['old']);
    take('new', 'two', 3);
    expect(await seen(3)).toEqual(['new']);
  });

  it('never goes back, whatever snapshot arrives late', async () => {
    const writer = await openFilled();
    const { replica, workspace, messages } = await openReplicaOf(writer);
    await workspace.fs.writeFile('/new', 'new');
    const [old] = messages as [FeedMessage];
    replica.receive(old);
    expect(replica.seq()).toBe(writer.seq);
  });

  it('refuses roots that it does not have', async () => {
    const { replica } = await openReplicaOf(await openFilled());
    const opening = replica.openView({ root: 'draft-1', minSeq: 0 }, openAccess('/'));
    await expect(opening).rejects.toThrow("The workspace has no root 'draft-1'");
  });
});

describe('hashTree', () => {
  it('differs by path, kind, mode and content, not by time, version or how it came to be', async () => {
    const hashOf = async (
      fill: (fs: ReturnType<typeof createWriterWorkspace>['fs']) => Promise<unknown>,
    ) => {
      const writer = await openTestWriter();
      const { fs } = createWriterWorkspace(writer);
      await fill(fs);
      return hashTree(writer.root, writer.contents);
    };
    const plain = await hashOf((fs) => fs.writeFile('/a', 'A'));
    const longWay = await hashOf(async (fs) => {
      await fs.writeFile('/b', 'A');
      await fs.rename('/b', '/a');
      await fs.utimes('/a', 0, 0);
    });
    const others = await Promise.all([
      hashOf((fs) => fs.writeFile('/b', 'A')),
      hashOf((fs) => fs.writeFile('/a', 'B')),
      hashOf((fs) => fs.mkdir('/a')),
      hashOf((fs) => fs.symlink('A', '/a')),
      hashOf(async (fs) => {
        await fs.writeFile('/a', 'A');
        await fs.chmod('/a', 0o755);
      }),
    ]);
    expect(longWay).toBe(plain);
    expect(plain).toMatch(/^[0-9a-f]{64}$/u);
    expect(new Set([plain, ...others]).size).toBe(6);
  });
});
