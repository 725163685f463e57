import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PathAccess, PathAccessRule } from '../../../src/core/access/path-access.ts';
import { createMemoryWorkspace } from '../../../src/workspace/memory-workspace.ts';
import { SearchService } from '../../../src/search/search-service.ts';
import { selectFiles } from '../../../src/search/select-files.ts';
import type { FileSearch } from '../../../src/search/file-search.ts';
import type { ViewSource, WorkspaceView } from '../../../src/workspace/draft/view.ts';
import type { Workspace } from '../../../src/workspace/workspace.ts';
import { runsHere } from '../../support/runs-here.ts';

type Opened = WorkspaceView & { readonly search: FileSearch };

/** What all views of one workspace share. */
const services = new WeakMap<Workspace, SearchService>();

async function open(
  workspace: Workspace & ViewSource,
  rules: readonly PathAccessRule[] = [],
): Promise<Opened> {
  const access: PathAccess = {
    cwd: '/w',
    roots: ['/w'],
    readOnlyRoots: [],
    rules,
    write: 'allow',
  };
  const view = await workspace.openView({ root: 'main', minSeq: workspace.seq() }, access);
  const service = services.get(workspace) ?? new SearchService();
  services.set(workspace, service);
  return Object.assign(view, { search: service.over(view).search });
}

async function listed(
  { search }: Pick<Opened, 'search'>,
  { directory = '/w', globs = [] as string[] } = {},
): Promise<string[]> {
  const list = await selectFiles(search, { directory, globRoot: '/w', globs });
  return list.byPath.files.map(({ path }) => path);
}

/** What a walk finds, which keeps nothing. */
async function walked(
  { fs }: Pick<WorkspaceView, 'fs'>,
  { directory = '/w', globs = [] as string[] } = {},
): Promise<string[]> {
  const entries = await fs.walk(directory, {
    includeHidden: true,
    globs: { root: '/w', patterns: ['!.svn', '!.hg', '!.bzr', '!.jj', '!.sl', ...globs] },
  });
  return entries.flatMap(({ path, type }) => (type === 'file' ? [path] : []));
}

const anyDirectory = fc.constantFrom('', 'a/', 'b/', 'a/b/', 'b/a/', 'a/b/c/', '.git/', '.hg/');
const anyName = fc.constantFrom('x.ts', 'y.js', 'z', '.hidden', 'build', '.gitignore', '.ignore');
const anyRules = fc.constantFrom('', '*.ts\n', 'b\n', '/a/b\n', '!x.ts\n', 'build/\n!z\n', 'c/\n');

/** One change of the tree. Those that don't fit it are passed over. */
const anyChange = fc.oneof(
  fc.record({
    type: fc.constant('write' as const),
    path: fc.tuple(anyDirectory, anyName).map((parts) => parts.join('')),
    text: anyRules,
  }),
  fc.record({ type: fc.constant('remove' as const), path: fc.constantFrom('a', 'b/a', 'a/x.ts') }),
  fc.record({ type: fc.constant('move' as const), path: fc.constantFrom('a', 'b', 'a/b') }),
);

describe('the kept list of files', () => {
  it('is what a walk finds, whatever has changed since it was made', async () => {
    const anySteps = fc.array(anyChange, { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(anySteps, async (changes) => {
        await using workspace = await createMemoryWorkspace();
        await workspace.fs.mkdir('/w/a/b', { recursive: true });
        for (const { path, ...change } of changes) {
          const { fs } = workspace;
          try {
            if (change.type === 'write') {
              const at = path.lastIndexOf('/');
              if (at !== -1) await fs.mkdir(`/w/${path.slice(0, at)}`, { recursive: true });
              await fs.writeFile(`/w/${path}`, change.text);
            } else if (change.type === 'remove') await fs.rm(`/w/${path}`, { recursive: true });
            else await fs.rename(`/w/${path}`, `/w/moved-${path.replace('/', '-')}`);
          } catch {
            continue;
          }
          const view = await open(workspace);
          expect(await listed(view)).toEqual(await walked(view));
          for (const globs of [['*.ts'], ['b/**'], ['!x.ts'], ['.hg/**', '!z']]) {
            expect(await listed(view, { globs })).toEqual(await walked(view, { globs }));
          }
          if (await fs.stat('/w/a').catch(() => undefined)) {
            const below = { directory: '/w/a' };
            expect(await listed(view, below)).toEqual(await walked(view, below));
          }
        }
      }),
      { numRuns: runsHere(60) },
    );
  });

  it("is a draft's own, and the base's again for the next call", async () => {
    await using workspace = await createMemoryWorkspace();
    await workspace.fs.mkdir('/w');
    await workspace.fs.writeFile('/w/old', 'old');
    const view = await open(workspace);
    await view.fs.writeFile('/w/new', 'new');
    await view.fs.unlink('/w/old');
    expect(await listed(view)).toEqual(['/w/new']);
    expect(await listed(await open(workspace))).toEqual(['/w/old']);
    expect(await listed(view)).toEqual(['/w/new']);
  });

  it('gives two calls their own answers where they ask at one time', async () => {
    await using workspace = await createMemoryWorkspace();
    await workspace.fs.mkdir('/w');
    await workspace.fs.writeFile('/w/.gitignore', 'no\n');
    const first = await open(workspace);
    const second = await open(workspace);
    await second.fs.writeFile('/w/yes', '');
    await second.fs.writeFile('/w/.gitignore', 'yes\n');
    expect(await Promise.all([listed(first), listed(second), listed(first)])).toEqual([
      ['/w/.gitignore'],
      ['/w/.gitignore'],
      ['/w/.gitignore'],
    ]);
  });

  it('is different for calls with different rules, and nothing of it is told by an ignore file', async () => {
    await using workspace = await createMemoryWorkspace();
    await workspace.fs.mkdir('/w/secret', { recursive: true });
    await workspace.fs.writeFile('/w/secret/key', '');
    await workspace.fs.writeFile('/w/.gitignore', 'hidden\n');
    await workspace.fs.writeFile('/w/hidden', '');
    const deny = (glob: string): PathAccessRule => ({ effect: 'deny', operation: 'read', glob });
    expect(await listed(await open(workspace))).toEqual(['/w/.gitignore', '/w/secret/key']);
    expect(await listed(await open(workspace, [deny('secret/**')]))).toEqual(['/w/.gitignore']);
    expect(await listed(await open(workspace, [deny('.gitignore')]))).toEqual([
      '/w/hidden',
      '/w/secret/key',
    ]);
    expect(await listed(await open(workspace))).toEqual(['/w/.gitignore', '/w/secret/key']);
  });

  it('shows the newest first, and files of one moment by their paths', async () => {
    await using workspace = await createMemoryWorkspace();
    await workspace.fs.mkdir('/w');
    for (const [name, time] of Object.entries({ a: 5, b: 9, c: 5, d: 7 })) {
      await workspace.fs.writeFile(`/w/${name}`, '');
      await workspace.fs.utimes(`/w/${name}`, time, time);
    }
    const { search } = await open(workspace);
    const { newestFirst } = await search.list('/w');
    expect(newestFirst.files.map(({ path }) => path)).toEqual(['/w/b', '/w/d', '/w/a', '/w/c']);
  });
});
