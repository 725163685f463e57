// The contract of file systems on what a browser keeps them on. That is its best driver, as a page
// sees it that has an FS worker, and idb-log.
import { afterAll, beforeAll, expect, it } from 'vitest';
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import {
  createBrowserHost,
  type BrowserHost,
} from '../../../src/hosts/browser/page/create-browser-host.ts';
import { deleteIdbLog, openIdbLog } from '../../../src/workspace/drivers/idb-log.ts';
import type { FileSystem } from '../../../src/workspace/files/file-system.ts';
import { openWorkspace } from '../../../src/workspace/open-workspace.ts';
import type { Workspace } from '../../../src/workspace/workspace.ts';
import { describeFileSystem } from '../../contract/file-system.contract.ts';
import { bestDriver } from '../../support/browser/best-driver.ts';

const name = `host-files test ${crypto.randomUUID()}`;
const idbName = `${name}, idb`;
let host: BrowserHost;
let inPage: Workspace;

beforeAll(async () => {
  host = await createBrowserHost({ workspace: name, assets: { wasm: wasmUrl } });
  inPage = await openWorkspace(await openIdbLog(idbName), { name: idbName });
});

afterAll(async () => {
  await host.destroy();
  await inPage[Symbol.asyncDispose]();
  await deleteIdbLog(idbName);
});

/** A directory of each test's own. */
async function openRoot(fs: FileSystem) {
  const root = `/contract/${crypto.randomUUID()}`;
  await fs.mkdir(root, { recursive: true });
  return { fs, root };
}

it('is run on the best driver, and on idb-log', async () => {
  const infos = await Promise.all([host.workspace.info(), inPage.info()]);
  expect(infos.map(({ driver }) => driver)).toEqual([bestDriver, 'idb-log']);
});

describeFileSystem('Workspace.fs of a host', () => openRoot(host.workspace.fs), {
  refusesFilters: true,
});

describeFileSystem('Workspace.fs on idb-log', () => openRoot(inPage.fs));
