// docs/examples/projects.ts as an embedder would run it: a real page, its workers, folders and volumes.
import LightningFs from '@isomorphic-git/lightning-fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import wasm from 'quickjs-wasi/quickjs.wasm?url';
import { createBrowserHost, type BrowserHost } from 'rockpool/browser';
import {
  installPackages,
  openFolder,
  openInEditor,
  openVolume,
  openWithGit,
  openZip,
  saveAsZip,
} from '../../../docs/examples/projects.ts';

let host: BrowserHost;

beforeAll(async () => {
  host = await createBrowserHost({ workspace: 'projects', driver: 'memory', assets: { wasm } });
});

afterAll(() => host.destroy());

describe('docs/examples/projects.ts', () => {
  it('opens a folder and a volume, and gives back what changed', async () => {
    const told: string[] = [];
    const root = await navigator.storage.getDirectory();
    const folder = await root.getDirectoryHandle('example-folder', { create: true });
    await folder.getFileHandle('a.txt', { create: true });
    const mount = await openFolder(host, folder, (...words) => void told.push(...words));
    await host.workspace.fs.writeFile('/workspace/example-folder/a.txt', 'changed');
    await mount.unmount();
    expect(told.at(-1)).toBe('ended');
    expect(await (await (await folder.getFileHandle('a.txt')).getFile()).text()).toBe('changed');
    const volume = await openVolume(host, 'example-volume');
    await host.workspace.fs.writeFile('/workspace/volume/b.txt', 'b');
    await volume.unmount();
    expect(await new LightningFs('example-volume').promises.readFile('/b.txt', 'utf8')).toBe('b');
  });

  it('opens a file in an editor, takes the project out as a zip and in again', async () => {
    const { fs } = host.workspace;
    await fs.writeFile('/workspace/c.txt', 'one');
    let text = '';
    const set = (next: string) => void (text = next);
    const buffer = { getText: () => text, setText: set, replaceText: set };
    const document = openInEditor(host, '/workspace/c.txt', buffer, () => {});
    await document.save();
    set('typed');
    document.edited();
    await host.documents.flush();
    document[Symbol.dispose]();
    const zip = await saveAsZip(host);
    await fs.rm('/workspace/c.txt');
    await openZip(host, zip);
    expect(await fs.readFile('/workspace/c.txt', 'utf8')).toBe('typed');
  });

  it('has git that goes by the proxy beside the page', async () => {
    const asked: string[] = [];
    const own = await openWithGit('with-git', async (server) => void asked.push(server));
    try {
      const clone = own.git.clone('https://git.example.com/a.git');
      // No proxy stands there: what answers isn't git's.
      await expect(clone).rejects.toMatchObject({
        code: 'tool-failed',
        data: { host: 'git.example.com' },
      });
      expect(asked).toEqual([]);
    } finally {
      await own.destroy();
    }
  });

  it('says that there is no lockfile to install by', async () => {
    await expect(installPackages(host, 'https://registry.example')).rejects.toThrow(
      'There is no package-lock.json in /workspace.',
    );
  });
});
