// The browser host with its real workers, as a page holds it.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { cdp, server } from 'vitest/browser';
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import toolWorker from './host-tools.worker.ts?worker&url';
import type { WorkRequest } from '../../../src/core/tool/ports.ts';
import {
  createBrowserHost,
  type BrowserHost,
  type BrowserHostOptions,
} from '../../../src/hosts/browser/page/create-browser-host.ts';
import { builtInNames } from '../../support/stages/catalogue.ts';
import { bestDriver } from '../../support/browser/best-driver.ts';

/** Stands for all tests that need no host of their own. */
let shared: BrowserHost;
/** A directory of each test's own. */
let directory: string;
/** What a test opened by itself. */
const hosts: BrowserHost[] = [];

function createHost(options: Partial<BrowserHostOptions>): Promise<BrowserHost> {
  return createBrowserHost({
    workspace: `test-${crypto.randomUUID()}`,
    assets: { wasm: wasmUrl, toolWorker },
    ...options,
  });
}

async function openHost(options: Partial<BrowserHostOptions>): Promise<BrowserHost> {
  const host = await createHost(options);
  hosts.push(host);
  return host;
}

beforeAll(async () => {
  shared = await createHost({ workspace: 'named', cwd: '/deep/down' });
});

afterAll(() => shared.destroy());

beforeEach(async () => {
  directory = `/workspace/${crypto.randomUUID()}`;
  await shared.workspace.fs.mkdir(directory, { recursive: true });
});

afterEach(async () => {
  for (const host of hosts.splice(0)) await host.destroy();
});

function requestOf(toolName: string, input: unknown = {}, host = shared): WorkRequest {
  return {
    callId: crypto.randomUUID(),
    toolName,
    input,
    sessionId: 'session-1',
    address: { root: 'main', minSeq: host.workspace.seq() },
    access: { cwd: directory, roots: ['/workspace'], readOnlyRoots: [], rules: [], write: 'allow' },
    cwd: directory,
    limits: { timeoutMs: 5000, maxFileBytes: 1e6, maxOutputChars: 1e6, maxMemoryBytes: 1e8 },
    knownVersions: [],
  };
}

function start(toolName: string, input: unknown = {}, host = shared) {
  return host.executor.start(requestOf(toolName, input, host), () => {});
}

async function run(toolName: string, input: unknown = {}, host = shared): Promise<unknown> {
  const reply = await start(toolName, input, host).reply;
  return reply.type === 'done' ? reply.output : reply;
}

describe('createBrowserHost', () => {
  it('tells what the browser promises about the storage', async () => {
    const facts = await shared.storageFacts();
    expect(facts).toMatchObject({ isPersisted: await navigator.storage.persisted() });
    expect(facts?.usageBytes).toBeGreaterThan(0);
    expect(facts?.quotaBytes).toBeGreaterThan(facts?.usageBytes ?? 0);
  });

  it('opens a workspace with its working directory, and says what it is', async () => {
    expect(await shared.workspace.info()).toMatchObject({
      driver: bestDriver,
      name: 'named',
      isPersistent: true,
    });
    expect(await shared.workspace.fs.readdir('/deep')).toEqual(['down']);
    expect((await shared.loadTools()).map((tool) => tool.name)).toEqual(builtInNames);
  });

  // Only Chromium collects garbage for a test.
  it.skipIf(server.browser !== 'chromium')(
    'answers the first call also where garbage was collected before it',
    async () => {
      const host = await openHost({ driver: 'memory' });
      await host.workspace.fs.writeFile('/workspace/a.txt', 'text');
      await cdp().send('HeapProfiler.collectGarbage');
      expect(await run('ReadFile', { path: '/workspace/a.txt' }, host)).toBe('text');
    },
  );

  it('has an acknowledged write after the host was closed and opened again', async () => {
    const first = await openHost({ workspace: 'kept' });
    await first.workspace.fs.writeFile('/workspace/a.txt', 'first');
    const hash = await first.workspace.treeHash();
    await first[Symbol.asyncDispose]();

    const second = await openHost({ workspace: 'kept' });
    expect(await second.workspace.fs.readFile('/workspace/a.txt', 'utf8')).toBe('first');
    expect(await second.workspace.treeHash()).toBe(hash);
    expect(await run('ReadFile', { path: '/workspace/a.txt' }, second)).toBe('first');
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

  it('refuses an option that it would pass over, with near names', async () => {
    const wrong = { toolworkers: 2 } as never;
    await expect(openHost(wrong)).rejects.toMatchObject({
      code: 'bad-usage',
      data: { option: 'toolworkers' },
      message: expect.stringContaining('Did you mean toolWorkers'),
    });
    const assets = { wasmUrl } as never;
    await expect(openHost({ assets })).rejects.toMatchObject({
      code: 'bad-usage',
      message: expect.stringContaining('Did you mean wasm?'),
    });
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
    const { fs } = shared.workspace;
    const [path, missing] = [`${directory}/a.txt`, `${directory}/b.txt`];
    await fs.writeFile(path, 'four');
    const stats = await fs.stat(path);
    expect([stats.isFile(), stats.isDirectory(), stats.size]).toEqual([true, false, 4]);
    const [entry] = await fs.readdir(directory, { withFileTypes: true });
    expect([entry?.name, entry?.parentPath, entry?.isFile()]).toEqual(['a.txt', directory, true]);
    await expect(fs.readFile(missing)).rejects.toMatchObject({ code: 'ENOENT' });
    const [found, lost] = await fs.readMany([path, missing]);
    expect(found).toEqual(new TextEncoder().encode('four'));
    expect(lost).toMatchObject({ code: 'ENOENT' });
    const [text, none] = await fs.readMany([path, missing], 'utf8');
    expect([text, none]).toEqual(['four', expect.objectContaining({ code: 'ENOENT' })]);
  });

  it('refuses parameters that an operation does not take', async () => {
    const { fs } = shared.workspace;
    await expect(fs.writeFile(`${directory}/a`, 5 as never)).rejects.toMatchObject({
      code: 'ERR_INVALID_ARG_TYPE',
      message: `ERR_INVALID_ARG_TYPE: fs.writeFile takes (text, data, options), writeFile '${directory}/a'`,
    });
  });

  it('announces each change in order, and lets a call see what was acknowledged', async () => {
    const { workspace } = shared;
    const path = `${directory}/a.txt`;
    const seen: string[] = [];
    const listening = workspace.onChange(({ changes }) => {
      for (const change of changes) seen.push(`${change.type} ${change.path}`);
    });
    await workspace.fs.writeFile(path, '1');
    await workspace.fs.writeFile(path, '2');
    expect(seen).toEqual([`create ${path}`, `update ${path}`]);
    expect(await run('ReadFile', { path })).toBe('2');
    listening[Symbol.dispose]();
    await workspace.fs.unlink(path);
    expect(seen).toHaveLength(2);
  });

  it('commits what a call drafted, and refuses it whole where a path has moved on', async () => {
    const { workspace } = shared;
    const path = `${directory}/a.txt`;
    const reply = await start('WriteFile', { path, text: 'new' }).reply;
    expect(reply).toMatchObject({ type: 'done', output: 'new' });
    expect(await workspace.versions([path])).toEqual([0]);
    if (reply.type !== 'done' || !reply.changeSet) throw new Error('no draft');

    const author = { kind: 'agent', callId: 'call-1' } as const;
    const { seq } = await workspace.commit(reply.changeSet, { author });
    expect(await workspace.versions([path])).toEqual([seq]);
    const hash = await workspace.treeHash();
    await expect(workspace.commit(reply.changeSet, { author })).rejects.toMatchObject({
      code: 'ECONFLICT',
      data: { paths: [path] },
    });
    expect(await workspace.treeHash()).toBe(hash);
  });
});

// One tool worker after the other: a host that has lost one serves the next test as well.
describe('calls in the tool worker', () => {
  it('neither lists nor reads what is denied', async () => {
    const { fs } = shared.workspace;
    await fs.writeFile(`${directory}/open.txt`, 'x');
    await fs.writeFile(`${directory}/secret.txt`, 'x');
    const rules = [{ effect: 'deny', operation: 'read', glob: 'secret.txt' }] as const;
    const denied = (toolName: string, input = {}) => {
      const request = requestOf(toolName, input);
      return shared.executor.start({ ...request, access: { ...request.access, rules } }, () => {})
        .reply;
    };
    expect(await denied('ListFiles')).toMatchObject({ output: [`${directory}/open.txt`] });
    expect(await denied('ReadFile', { path: `${directory}/secret.txt` })).toMatchObject({
      type: 'failed',
    });
  });

  it('ends a hung call when it is killed, and keeps files and states', async () => {
    const path = `${directory}/a.txt`;
    await shared.workspace.fs.writeFile(path, 'still here');
    await run('SaveState', { value: '7' });
    const hung = start('SaveAndSpin');
    await new Promise<void>((resolve) => shared.clock.after(300, resolve));
    hung.kill('It took too long.');
    expect(await hung.reply).toEqual({ type: 'lost', message: 'It took too long.' });
    // As they were before the call that was cut.
    expect(await run('ReadFile', { path })).toBe('still here');
    expect(await run('SaveState')).toBe(7);
  });

  it('answers a call beside one that spins in another worker', async () => {
    const free = (toolName: string, input = {}) =>
      shared.executor.start({ ...requestOf(toolName, input), isStateless: true }, () => {});
    const hung = free('Spin');
    const beside = free('Echo', { a: 'b' });
    expect(await beside.reply).toMatchObject({ type: 'done', output: { a: 'b' } });
    hung.kill('The test is over.');
    expect(await hung.reply).toEqual({ type: 'lost', message: 'The test is over.' });
  });

  it('answers once for a worker that died by itself, and replaces it', async () => {
    const replies = await Promise.all([start('Crash').reply, run('Echo', { a: 'b' })]);
    expect(replies).toEqual([
      { type: 'lost', message: expect.stringContaining('thrown outside of any call') },
      { a: 'b' },
    ]);
    expect(await run('Echo', { c: 'd' })).toEqual({ c: 'd' });
  });

  it('fails a call to a tool that the worker does not serve', async () => {
    expect(await run('Nothing')).toMatchObject({
      type: 'failed',
      error: { code: 'unknown-tool' },
    });
  });
});
