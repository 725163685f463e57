// The session's own files in a real page. They are written by the page, and read in tool workers,
// in other tabs and after a reload. The page also reads trees by their ids.
import { afterEach, describe, expect, it } from 'vitest';
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import {
  createBrowserHost,
  type BrowserHost,
} from '../../../src/hosts/browser/page/create-browser-host.ts';
import { expectedOfSpill, readSpill, spillPath } from '../../support/turns/spilled-result.ts';

const user = { author: { kind: 'user' } } as const;
const hosts: BrowserHost[] = [];

async function openHost(workspace: string): Promise<BrowserHost> {
  const host = await createBrowserHost({ workspace, assets: { wasm: wasmUrl } });
  hosts.push(host);
  return host;
}

afterEach(async () => {
  for (const host of hosts.slice(1)) await host[Symbol.asyncDispose]();
  await hosts[0]?.destroy();
  hosts.length = 0;
});

async function endOfSpill({ workspace }: BrowserHost): Promise<string> {
  return (await workspace.fs.readFile(spillPath, 'utf8')).slice(-11);
}

describe('a spilled result in a page', () => {
  it('is read and searched in a tool worker, and seen by another tab', async () => {
    const name = `spill-${crypto.randomUUID()}`;
    const first = await openHost(name);
    await first.workspace.fs.writeFile('/workspace/a.txt', 'one\n');
    const second = await openHost(name);
    const hash = await second.workspace.treeHash();
    const told = new Promise<void>((resolve) => {
      second.workspace.onChange(({ root }) => {
        if (root === 'session/spilling') resolve();
      });
    });
    expect(await readSpill(first)).toEqual(expectedOfSpill);
    await told;
    expect(await endOfSpill(second)).toBe('the needle\n');
    expect(await second.workspace.treeHash()).toBe(hash);
    await second.workspace.roots.drop('session/spilling', user);
    await expect(first.workspace.fs.stat('/session')).rejects.toThrow('ENOENT');
  });

  it('is there after a reload', async () => {
    const name = `spill-${crypto.randomUUID()}`;
    const before = await openHost(name);
    await before.workspace.fs.writeFile('/workspace/a.txt', 'one\n');
    await readSpill(before);
    hosts.pop();
    await before[Symbol.asyncDispose]();
    const after = await openHost(name);
    expect(await endOfSpill(after)).toBe('the needle\n');
    expect(await after.workspace.roots.list({ kind: 'session' })).toEqual([
      expect.objectContaining({ id: 'session/spilling', kind: 'session' }),
    ]);
  });
});

it('reads and writes any root from the page', async () => {
  const { workspace } = await openHost(`roots-${crypto.randomUUID()}`);
  await workspace.fs.writeFile('/workspace/a.txt', 'main');
  const { id } = await workspace.roots.branch('try', user);
  const branch = workspace.at(id);
  await branch.fs.writeFile('/workspace/a.txt', 'branch');
  expect(await branch.fs.readFile('/workspace/a.txt', 'utf8')).toBe('branch');
  expect(await workspace.fs.readFile('/workspace/a.txt', 'utf8')).toBe('main');
  const seq = workspace.seq();
  expect(await branch.versions(['/workspace/a.txt'])).toEqual([seq]);
  expect(await branch.lookUp(['/workspace/a.txt'])).toMatchObject([{ version: seq, size: 6 }]);
  await workspace.roots.drop(id, user);
  await expect(branch.fs.readFile('/workspace/a.txt')).rejects.toThrow(`no root '${id}'`);
});
