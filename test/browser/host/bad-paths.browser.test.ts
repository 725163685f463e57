// What a path that can be none comes to on the page, where the files are a worker's. It comes to
// the code that Node has, and a workspace as it was.
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createBrowserHost,
  type BrowserHost,
} from '../../../src/hosts/browser/page/create-browser-host.ts';
import {
  badPaths,
  codesOf,
  pathOperations,
  prepareBadPaths,
} from '../../support/files/bad-paths.ts';

let host: BrowserHost;

beforeAll(async () => {
  host = await createBrowserHost({ workspace: crypto.randomUUID(), driver: 'memory' });
  await prepareBadPaths(host.workspace.fs, '/');
});

afterAll(() => host.destroy());

it.each(badPaths)('%s fails in every operation, and changes nothing', async (_what, path, code) => {
  const { workspace } = host;
  const before = [workspace.seq(), await workspace.treeHash()];
  for (const [name, run] of pathOperations('promises')) {
    expect([name, await codesOf(run, workspace.fs, path)]).toEqual([name, [code]]);
  }
  expect([workspace.seq(), await workspace.treeHash()]).toEqual(before);
});
