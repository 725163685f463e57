// A path that can be none, or that leads nowhere: every operation fails as Node's does, and nothing
// has changed.
import { beforeAll, describe, expect, it } from 'vitest';
import { createMemoryWorkspace } from '../../../src/workspace/memory-workspace.ts';
import type { ViewSource } from '../../../src/workspace/draft/view.ts';
import type { Workspace } from '../../../src/workspace/workspace.ts';
import {
  badPaths,
  codesOf,
  pathOperations,
  prepareBadPaths,
} from '../../support/files/bad-paths.ts';
import { openAccess } from '../../support/files/workspaces.ts';
import { SearchService } from '../../../src/search/search-service.ts';

let workspace: Workspace & ViewSource;

beforeAll(async () => {
  workspace = await createMemoryWorkspace();
  // A face without a working directory takes relative paths from the root.
  await prepareBadPaths(workspace.fs, '/');
});

describe.each(badPaths)('%s', (_what, path, code) => {
  it(`is ${code} to every operation of a view, which has changed nothing then`, async () => {
    const { openView } = workspace;
    const view = await openView({ root: 'main', minSeq: workspace.seq() }, openAccess('/'));
    for (const [name, run] of pathOperations('local')) {
      expect([name, await codesOf(run, new SearchService().over(view), path)]).toEqual([
        name,
        [code],
      ]);
      expect([name, view.changeSet()]).toEqual([name, null]);
    }
    expect(view.fs.sync.existsSync(path)).toBe(false);
  });

  it(`is ${code} to every operation of the workspace, which is as it was then`, async () => {
    const before = [workspace.seq(), await workspace.treeHash()];
    for (const [name, run] of pathOperations('promises')) {
      expect([name, await codesOf(run, workspace.fs, path)]).toEqual([name, [code]]);
    }
    expect([workspace.seq(), await workspace.treeHash()]).toEqual(before);
  });
});

it('goes up to the limits', async () => {
  const { fs } = workspace;
  const { openView } = workspace;
  const view = await openView({ root: 'main', minSeq: workspace.seq() }, openAccess('/'));
  expect(await fs.readFile('link2/a.ts', 'utf8')).toBe('a');
  const name = 'ü'.repeat(127) + 'x';
  await view.fs.writeFile(`src/${name}`, '');
  expect(await view.fs.readdir('src')).toEqual(['a.ts', name]);
  expect((await view.fs.stat(`${'./'.repeat(2043)}/src/a.ts`)).size).toBe(1);
});
