// The browser host with its real workers, as a page holds it.
import { afterEach, describe, expect, it } from 'vitest';
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import type { PathAccess } from '../../src/core/path-access.ts';
import type { WorkRequest } from '../../src/core/ports.ts';
import {
  createBrowserHost,
  type BrowserHost,
  type BrowserHostOptions,
} from '../../src/hosts/browser/create-browser-host.ts';

const hosts: BrowserHost[] = [];

async function openHost(options: Partial<BrowserHostOptions> = {}): Promise<BrowserHost> {
  const host = await createBrowserHost({
    workspace: `test-${crypto.randomUUID()}`,
    assets: { wasm: wasmUrl, toolWorker: new URL('./host-tools.worker.ts', import.meta.url) },
    ...options,
  });
  hosts.push(host);
  return host;
}

afterEach(async () => {
  for (const host of hosts.splice(0)) await host.destroy();
});

const access: PathAccess = {
  cwd: '/workspace',
  roots: ['/workspace'],
  readOnlyRoots: [],
  rules: [],
  write: 'allow',
};

function requestOf(host: BrowserHost, toolName: string, input: unknown = {}): WorkRequest {
  return {
    callId: crypto.randomUUID(),
    toolName,
    input,
    sessionId: 'session-1',
    address: { root: 'main', minSeq: host.workspace.seq() },
    access,
    cwd: host.cwd,
    limits: { timeoutMs: 5000, maxFileBytes: 1e6, maxOutputChars: 1e6, maxMemoryBytes: 1e8 },
    knownVersions: [],
  };
}

function start(host: BrowserHost, toolName: string, input: unknown = {}) {
  return host.executor.start(requestOf(host, toolName, input), () => {});
}

async function run(host: BrowserHost, toolName: string, input: unknown = {}): Promise<unknown> {
  const reply = await start(host, toolName, input).reply;
  return reply.type === 'done' ? reply.output : reply;
}

/** The longest time in which the page could do nothing, while `work` runs. */
async function longestGap(work: () => Promise<unknown>): Promise<number> {
  let last = performance.now();
  let longest = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }, 5);
  await work();
  clearInterval(timer);
  return Math.max(longest, performance.now() - last);
}

describe('createBrowserHost', () => {
  it('opens a workspace with its working directory, and says what it is', async () => {
    const host = await openHost({ workspace: 'named', cwd: '/deep/down' });
    expect(await host.workspace.info()).toMatchObject({
      driver: 'opfs-log',
      name: 'named',
      isPersistent: true,
    });
    expect(await host.workspace.fs.readdir('/deep')).toEqual(['down']);
    expect((await host.loadTools()).map((tool) => tool.name)).toEqual([
      'Edit',
      'Glob',
      'Grep',
      'Read',
      'Repl',
      'Write',
    ]);
  });

  it('has an acknowledged write after the host was closed and opened again', async () => {
    const first = await openHost({ workspace: 'kept' });
    await first.workspace.fs.writeFile('/workspace/a.txt', 'first');
    const hash = await first.workspace.treeHash();
    await first[Symbol.asyncDispose]();

    const second = await openHost({ workspace: 'kept' });
    expect(await second.workspace.fs.readFile('/workspace/a.txt', 'utf8')).toBe('first');
    expect(await second.workspace.treeHash()).toBe(hash);
    expect(await run(second, 'ReadFile', { path: '/workspace/a.txt' })).toBe('first');
  });

  it('keeps nothing with the memory driver, nor after destroy', async () => {
    const memory = await openHost({ workspace: 'same', driver: 'memory' });
    await memory.workspace.fs.writeFile('/workspace/a.txt', 'x');
    await memory.destroy();
    const stored = await openHost({ workspace: 'same' });
    await stored.workspace.fs.writeFile('/workspace/b.txt', 'x');
    await stored.destroy();
    const again = await openHost({ workspace: 'same' });
    expect(await again.workspace.fs.readdir('/workspace')).toEqual([]);
  });

  it('refuses options that make no sense, before anything is started', async () => {
    for (const options of [{ workspace: '' }, { driver: 'disk' }, { cwd: 'relative' }]) {
      await expect(openHost(options as never)).rejects.toMatchObject({ code: 'bad-usage' });
    }
  });

  it('says which worker file did not load', async () => {
    const missing = new URL('/no-such.worker.js', location.href);
    await expect(openHost({ assets: { fsWorker: missing } })).rejects.toMatchObject({
      code: 'unsupported-environment',
      message: expect.stringContaining('assets.fsWorker'),
    });
    await expect(openHost({ assets: { toolWorker: missing } })).rejects.toMatchObject({
      code: 'unsupported-environment',
      message: expect.stringContaining('assets.toolWorker'),
    });
  });
});

describe('Workspace on the page', () => {
  it('gives stats, entries and errors as Node does', async () => {
    const { fs } = (await openHost()).workspace;
    await fs.writeFile('/workspace/a.txt', 'four');
    const stats = await fs.stat('/workspace/a.txt');
    expect([stats.isFile(), stats.isDirectory(), stats.size]).toEqual([true, false, 4]);
    const [entry] = await fs.readdir('/workspace', { withFileTypes: true });
    expect([entry?.name, entry?.parentPath, entry?.isFile()]).toEqual([
      'a.txt',
      '/workspace',
      true,
    ]);
    await expect(fs.readFile('/workspace/b.txt')).rejects.toMatchObject({ code: 'ENOENT' });
    const [found, lost] = await fs.readMany(['/workspace/a.txt', '/workspace/b.txt']);
    expect(found).toEqual(new TextEncoder().encode('four'));
    expect(lost).toMatchObject({ code: 'ENOENT' });
  });

  it('refuses parameters that an operation does not take', async () => {
    const { fs } = (await openHost()).workspace;
    await expect(fs.writeFile('/workspace/a', 5 as never)).rejects.toMatchObject({
      code: 'invalid-input',
      message: 'fs.writeFile takes (text, data).',
    });
  });

  it('announces each change in order, and lets a call see what was acknowledged', async () => {
    const host = await openHost();
    const seen: string[] = [];
    const listening = host.workspace.onChange(({ changes }) => {
      for (const { path, type } of changes) seen.push(`${type} ${path}`);
    });
    await host.workspace.fs.writeFile('/workspace/a.txt', '1');
    await host.workspace.fs.writeFile('/workspace/a.txt', '2');
    expect(seen).toEqual(['create /workspace/a.txt', 'update /workspace/a.txt']);
    expect(await run(host, 'ReadFile', { path: '/workspace/a.txt' })).toBe('2');
    listening[Symbol.dispose]();
    await host.workspace.fs.unlink('/workspace/a.txt');
    expect(seen).toHaveLength(2);
  });

  it('commits what a call drafted, and refuses it whole where a path has moved on', async () => {
    const host = await openHost();
    const { workspace } = host;
    const reply = await start(host, 'WriteFile', { path: '/workspace/a.txt', text: 'new' }).reply;
    expect(reply).toMatchObject({ type: 'done', output: 'new' });
    expect(await workspace.versions(['/workspace/a.txt'])).toEqual([0]);
    if (reply.type !== 'done' || !reply.changeSet) throw new Error('no draft');

    const author = { kind: 'agent', callId: 'call-1' } as const;
    const { seq } = await workspace.commit(reply.changeSet, { author });
    expect(await workspace.versions(['/workspace/a.txt'])).toEqual([seq]);
    const hash = await workspace.treeHash();
    await expect(workspace.commit(reply.changeSet, { author })).rejects.toMatchObject({
      code: 'ECONFLICT',
      data: { paths: ['/workspace/a.txt'] },
    });
    expect(await workspace.treeHash()).toBe(hash);
  });
});

describe('calls in the tool worker', () => {
  it('neither lists nor reads what is denied', async () => {
    const host = await openHost();
    await host.workspace.fs.writeFile('/workspace/open.txt', 'x');
    await host.workspace.fs.writeFile('/workspace/secret.txt', 'x');
    const rules = [{ effect: 'deny', operation: 'read', glob: 'secret.txt' }] as const;
    const denied = (toolName: string, input = {}) =>
      host.executor.start(
        { ...requestOf(host, toolName, input), access: { ...access, rules } },
        () => {},
      ).reply;
    expect(await denied('ListFiles')).toMatchObject({ output: ['/workspace/open.txt'] });
    expect(await denied('ReadFile', { path: '/workspace/secret.txt' })).toMatchObject({
      type: 'failed',
    });
  });

  it('ends a hung call when it is killed, while the page stays responsive', async () => {
    const host = await openHost();
    await host.workspace.fs.writeFile('/workspace/a.txt', 'still here');
    await run(host, 'SaveState', { value: '7' });
    const gap = await longestGap(async () => {
      const hung = start(host, 'SaveAndSpin');
      await new Promise<void>((resolve) => host.clock.after(300, resolve));
      hung.kill('It took too long.');
      expect(await hung.reply).toEqual({ type: 'lost', message: 'It took too long.' });
    });
    // Files and states are as they were before the call that was cut.
    expect(await run(host, 'ReadFile', { path: '/workspace/a.txt' })).toBe('still here');
    expect(await run(host, 'SaveState')).toBe(7);
    expect(gap).toBeLessThan(500);
  });

  it('answers once for a worker that died by itself, and replaces it', async () => {
    const host = await openHost();
    const replies = await Promise.all([start(host, 'Crash').reply, run(host, 'Echo', { a: 'b' })]);
    expect(replies).toEqual([
      { type: 'lost', message: expect.stringContaining('thrown outside of any call') },
      { a: 'b' },
    ]);
    expect(await run(host, 'Echo', { c: 'd' })).toEqual({ c: 'd' });
  });

  it('fails a call to a tool that the worker does not serve', async () => {
    const host = await openHost();
    expect(await run(host, 'Nothing')).toMatchObject({
      type: 'failed',
      error: { code: 'unknown-tool' },
    });
  });
});
