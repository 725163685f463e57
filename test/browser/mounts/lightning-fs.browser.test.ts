// Volumes of lightning-fs in a tab: beside the page's own instance, before and after.
import LightningFs from '@isomorphic-git/lightning-fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import toolWorker from '../host/host-tools.worker.ts?worker&url';
import { openLightningFsSource } from '../../../src/workspace/mounts/lightning-fs-source.ts';
import { describeHostFs } from '../../contract/host-fs.contract.ts';
import {
  createBrowserHost,
  type BrowserHost,
} from '../../../src/hosts/browser/page/create-browser-host.ts';

let host: BrowserHost;

beforeAll(async () => {
  const assets = { wasm: wasmUrl, toolWorker };
  host = await createBrowserHost({ workspace: 'volumes', driver: 'memory', assets });
});

afterAll(() => host.destroy());

let count = 0;
const newName = () => `volume-${crypto.randomUUID()}`;
const newPath = () => `/workspace/volume-${(count += 1)}`;

type Volume = LightningFs['promises'];

/** All of a volume as the page's own instance shows it: texts, `/` for a directory, an arrow for a link. */
async function list(fs: Volume, at = ''): Promise<Record<string, string>> {
  const all: Record<string, string> = {};
  for (const name of (await fs.readdir(`/${at}`)).sort()) {
    const path = at === '' ? name : `${at}/${name}`;
    const stats = await fs.lstat(`/${path}`);
    if (stats.isSymbolicLink()) all[path] = `-> ${await fs.readlink(`/${path}`)}`;
    else if (stats.isDirectory()) Object.assign(all, { [`${path}/`]: '' }, await list(fs, path));
    else all[path] = await fs.readFile(`/${path}`, 'utf8');
  }
  return all;
}

const isHeld = async (name: string) => {
  const { held = [] } = await navigator.locks.query();
  return held.some((lock) => lock.name === `${name}_lock`);
};

/** An instance lets its volume go half a second after its last call; a mount waits a second and a half at most. */
async function rests(name: string): Promise<void> {
  await expect.poll(() => isHeld(name)).toBe(false);
}

describeHostFs({
  name: 'a lightning-fs volume',
  open: () => openLightningFsSource(newName()),
});

describe('mount of a lightning-fs volume', () => {
  it('round-trips what the page’s own instance wrote before, and reads after', async () => {
    const name = newName();
    const path = newPath();
    const own = new LightningFs(name).promises;
    await own.mkdir('/src');
    await own.mkdir('/empty');
    await own.writeFile('/src/a.txt', 'one');
    await own.writeFile('/run.sh', '#!/bin/sh', { mode: 0o755 } as never);
    await own.writeFile('/old.bin', Uint8Array.of(0, 255, 7));
    await own.symlink('src/a.txt', '/link');
    await rests(name);
    const mount = await host.mount(path, { lightningFs: name });
    const { fs } = host.workspace;
    expect((await fs.readdir(path, { recursive: true })).sort()).toEqual([
      'empty',
      'link',
      'old.bin',
      'run.sh',
      'src',
      'src/a.txt',
    ]);
    expect((await fs.stat(`${path}/run.sh`)).mode & 0o777).toBe(0o755);
    expect(await fs.readFile(`${path}/old.bin`)).toEqual(Uint8Array.of(0, 255, 7));
    expect(await isHeld(name)).toBe(true);

    await fs.writeFile(`${path}/src/a.txt`, 'two');
    await fs.rm(`${path}/old.bin`);
    await fs.writeFile(`${path}/new.txt`, 'new');
    await fs.rename(`${path}/src`, `${path}/lib`);
    await fs.rm(`${path}/link`);
    await fs.symlink('lib/a.txt', `${path}/link`);
    await fs.symlink('../elsewhere', `${path}/out`);
    await fs.chmod(`${path}/run.sh`, 0o644);
    await mount.sync();
    expect(mount.state().problems.map((problem) => problem.path)).toEqual([`${path}/out`]);
    await fs.rm(`${path}/out`);
    await mount.unmount();
    expect(await list(own)).toEqual({
      'empty/': '',
      'lib/': '',
      'lib/a.txt': 'two',
      link: '-> lib/a.txt',
      'new.txt': 'new',
      'run.sh': '#!/bin/sh',
    });
    expect((await own.stat('/run.sh')).mode).toBe(0o644);
  });

  it('holds the volume’s lock while it rests, and refuses one that is in use', async () => {
    const name = newName();
    const own = new LightningFs(name).promises;
    let release = () => {};
    const released = new Promise<boolean>((resolve) => {
      release = () => resolve(false);
    });
    // Its call goes on, so it keeps the volume.
    const using = own.cp('/a', '/b', { filter: () => released });
    await own.writeFile('/a.txt', 'mine');
    await expect(host.mount(newPath(), { lightningFs: name })).rejects.toThrow(
      `The volume "${name}" is in use by another LightningFS, in this page or in another tab.`,
    );
    release();
    await using;
    const path = newPath();
    await rests(name);
    const mount = await host.mount(path, { lightningFs: name });
    expect(await isHeld(name)).toBe(true);
    expect(await host.workspace.fs.readFile(`${path}/a.txt`, 'utf8')).toBe('mine');
    await mount.unmount();
    expect(await list(own)).toEqual({ 'a.txt': 'mine' });
  });
});
