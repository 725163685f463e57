// One workspace in two hosts, as in two tabs: two FS workers that share it through the browser's own
// channels and locks.
import { afterEach, describe, expect, it } from 'vitest';
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import toolWorker from './host-tools.worker.ts?worker&url';
import {
  createBrowserHost,
  type BrowserHost,
} from '../../../src/hosts/browser/page/create-browser-host.ts';
import type { ChangeEvent } from '../../../src/workspace/workspace.ts';
import { bestDriver } from '../../support/browser/best-driver.ts';

const hosts: BrowserHost[] = [];

async function openHost(workspace: string): Promise<BrowserHost> {
  const host = await createBrowserHost({ workspace, assets: { wasm: wasmUrl, toolWorker } });
  hosts.push(host);
  return host;
}

async function closeHost(host: BrowserHost): Promise<void> {
  hosts.splice(hosts.indexOf(host), 1);
  await host[Symbol.asyncDispose]();
}

afterEach(async () => {
  for (const host of hosts.slice(1)) await closeHost(host);
  await hosts[0]?.destroy();
  hosts.length = 0;
});

async function roleOf(host: BrowserHost): Promise<string | undefined> {
  return (await host.workspace.info()).role;
}

/** Resolves with the role that the host has once it isn't that one any more. */
async function nextRole(host: BrowserHost, role: string): Promise<string | undefined> {
  for (;;) {
    const now = await roleOf(host);
    if (now !== role) return now;
    await new Promise<void>((resolve) => host.clock.after(10, resolve));
  }
}

async function run(host: BrowserHost, toolName: string, input: unknown): Promise<unknown> {
  const { reply } = host.executor.start(
    {
      callId: crypto.randomUUID(),
      toolName,
      input,
      sessionId: 'session-1',
      address: { root: 'main', minSeq: host.workspace.seq() },
      access: {
        cwd: '/workspace',
        roots: ['/workspace'],
        readOnlyRoots: [],
        rules: [],
        write: 'allow',
      },
      cwd: '/workspace',
      limits: { timeoutMs: 5000, maxFileBytes: 1e6, maxOutputChars: 1e6, maxMemoryBytes: 1e8 },
      knownVersions: [],
    },
    () => {},
  );
  const settled = await reply;
  return settled.type === 'done' ? settled.output : settled;
}

describe('one workspace in two hosts', () => {
  it('is led by one of them, and both write and see what the other wrote, tools too', async () => {
    const first = await openHost('shared');
    await first.workspace.fs.writeFile('/workspace/early', 'before');
    const second = await openHost('shared');
    expect([await roleOf(first), await roleOf(second)]).toEqual(['leader', 'follower']);
    expect((await second.workspace.info()).driver).toBe(bestDriver);
    expect(await second.workspace.fs.readFile('/workspace/early', 'utf8')).toBe('before');

    const heard = new Promise<ChangeEvent>((resolve) => first.workspace.onChange(resolve));
    // Above 64 KB contents cross as a Blob.
    await second.workspace.fs.writeFile('/workspace/large', 'x'.repeat(100_000));
    const path = '/workspace/large';
    expect(await heard).toMatchObject({ changes: [{ type: 'create', path }] });
    expect(await first.workspace.fs.readFile(path, 'utf8')).toHaveLength(100_000);
    for (const host of [first, second]) {
      expect(await run(host, 'ReadFile', { path })).toHaveLength(100_000);
    }
    await Promise.all(
      Array.from({ length: 6 }, (_, at) =>
        (at % 2 === 0 ? first : second).workspace.fs.appendFile('/workspace/log', `<${at}>`),
      ),
    );
    const log = await second.workspace.fs.readFile('/workspace/log', 'utf8');
    expect(
      [...log.matchAll(/<(\d+)>/g)].map(([, at]) => Number(at)).toSorted((a, b) => a - b),
    ).toEqual(Array.from({ length: 6 }, (_, at) => at));
    const hashes = await Promise.all([first, second].map((host) => host.workspace.treeHash()));
    expect(hashes[0]).toBe(hashes[1]);
  });

  it('goes on in the other when the leader is closed in the middle of writing', async () => {
    const [first, second] = [await openHost('closing'), await openHost('closing')];
    const acknowledged: string[] = [];
    const writing = Array.from({ length: 30 }, async (_, at) => {
      const host = at % 3 === 0 ? first : second;
      const path = `/workspace/${at}`;
      await host.workspace.fs.writeFile(path, 'x').then(
        () => acknowledged.push(path),
        () => {},
      );
    });
    await writing[0];
    await closeHost(first);
    await Promise.all(writing);
    expect(await nextRole(second, 'follower')).toBe('leader');
    expect(acknowledged.length).toBeGreaterThanOrEqual(20);
    const names = await second.workspace.fs.readdir('/workspace');
    expect(
      acknowledged.filter((path) => !names.includes(path.slice('/workspace/'.length))),
    ).toEqual([]);
    // What the tool worker read from the follower it goes on reading from the leader.
    await second.workspace.fs.writeFile('/workspace/late', 'late');
    expect(await run(second, 'ReadFile', { path: '/workspace/late' })).toBe('late');
    expect(await run(second, 'ReadFile', { path: '/workspace/1' })).toBe('x');
  });

  it('is not deleted while the other has it open', async () => {
    const [first, second] = [await openHost('kept'), await openHost('kept')];
    await second.workspace.fs.writeFile('/workspace/a', 'a');
    await expect(first.destroy()).rejects.toMatchObject({ code: 'EBUSY' });
    expect(await first.workspace.fs.readFile('/workspace/a', 'utf8')).toBe('a');
    await closeHost(second);
    await first.destroy();
    hosts.length = 0;
    const again = await openHost('kept');
    expect(await again.workspace.fs.readdir('/workspace')).toEqual([]);
  });
});
