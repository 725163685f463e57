// Commits of drafts that others were quicker than: refused as they are, merged where that was asked for.
import { describe, expect, it } from 'vitest';
import type { ChangeSet } from '../../../src/core/change-set.ts';
import { SdkError } from '../../../src/core/errors.ts';
import type { SyncFileSystem } from '../../../src/workspace/files/file-system.ts';
import { createMemoryWorkspace } from '../../../src/workspace/memory-workspace.ts';
import type { CommitOptions, Workspace } from '../../../src/workspace/workspace.ts';
import { openAccess } from '../../support/files/workspaces.ts';

const agent = { author: { kind: 'agent' } } as const;
const merging: CommitOptions = { ...agent, merge: 'text' };

type Edit = (fs: SyncFileSystem) => void;

/** A workspace with these files in `/d`, and a way to make change sets on what it holds now. */
async function openWith(files: Readonly<Record<string, string | Uint8Array>>) {
  const workspace = await createMemoryWorkspace();
  const draft = async (edit: Edit): Promise<ChangeSet> => {
    const address = { root: 'main', minSeq: workspace.seq() };
    const view = await workspace.openView(address, openAccess('/'));
    edit(view.fs.sync);
    return view.changeSet() ?? { baseSeq: workspace.seq(), changes: [] };
  };
  const setUp = await draft((fs) => {
    fs.mkdirSync('/d');
    for (const [name, data] of Object.entries(files)) fs.writeFileSync(`/d/${name}`, data);
  });
  await workspace.commit(setUp, agent);
  return { workspace, draft };
}

/** Both sides begin with the same tree; theirs is committed first. What becomes of ours. */
async function commitBoth(
  files: Readonly<Record<string, string | Uint8Array>>,
  { ours, theirs }: { readonly ours: Edit; readonly theirs: Edit },
  options: CommitOptions = merging,
) {
  const { workspace, draft } = await openWith(files);
  const [our, their] = [await draft(ours), await draft(theirs)];
  await workspace.commit(their, agent);
  const before = await workspace.treeHash();
  const conflict = await conflictOf(workspace.commit(our, options));
  if (conflict) expect(await workspace.treeHash()).toBe(before);
  return { conflict, files: await readAll(workspace), workspace };
}

async function conflictOf(commit: Promise<unknown>): Promise<unknown> {
  try {
    await commit;
    return undefined;
  } catch (error) {
    if (SdkError.isInstance(error) && error.code === 'ECONFLICT') return error.data['paths'];
    throw error;
  }
}

async function readAll({ fs }: Workspace): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const { path } of await fs.walk('/')) files[path] = await fs.readFile(path, 'utf8');
  return files;
}

const write =
  (path: string, data: string): Edit =>
  (fs) =>
    fs.writeFileSync(path, data);

describe('a commit that merges', () => {
  it('brings two edits of one text together, whatever else is in it', async () => {
    const { conflict, files } = await commitBoth(
      { a: 'one\ntwo\nthree\n', b: 'B\n' },
      {
        ours: (fs) => {
          fs.writeFileSync('/d/a', 'ONE\ntwo\nthree\n');
          fs.writeFileSync('/d/mine', 'M\n');
        },
        theirs: (fs) => {
          fs.writeFileSync('/d/a', 'one\ntwo\nTHREE\n');
          fs.rmSync('/d/b');
        },
      },
    );
    expect([conflict, files]).toEqual([
      undefined,
      { '/d/a': 'ONE\ntwo\nTHREE\n', '/d/mine': 'M\n' },
    ]);
  });

  it('is refused without it, as Edit and Write are', async () => {
    const sides = {
      ours: write('/d/a', 'ONE\ntwo\nthree\n'),
      theirs: write('/d/a', 'one\ntwo\nTHREE\n'),
    };
    const { conflict, files } = await commitBoth({ a: 'one\ntwo\nthree\n' }, sides, agent);
    expect([conflict, files]).toEqual([['/d/a'], { '/d/a': 'one\ntwo\nTHREE\n' }]);
  });

  it('names all paths that are not clean, and writes none of the others', async () => {
    const { conflict, files } = await commitBoth(
      { a: 'a\n', b: 'b\n', c: '1\n2\n3\n', e: 'e\n' },
      {
        ours: (fs) => {
          fs.writeFileSync('/d/a', 'ours\n');
          fs.rmSync('/d/b');
          fs.writeFileSync('/d/c', 'X\n2\n3\n');
          fs.renameSync('/d/e', '/d/moved');
          fs.writeFileSync('/d/new', 'ours\n');
        },
        theirs: (fs) => {
          fs.writeFileSync('/d/a', 'theirs\n');
          fs.writeFileSync('/d/b', 'theirs\n');
          fs.writeFileSync('/d/c', '1\n2\nY\n');
          fs.writeFileSync('/d/e', 'theirs\n');
          fs.writeFileSync('/d/new', 'theirs\n');
        },
      },
    );
    expect(conflict).toEqual(['/d/b', '/d/e', '/d/a', '/d/new']);
    expect(files['/d/c']).toBe('1\n2\nY\n');
  });

  const same: readonly (readonly [what: string, edit: Edit])[] = [
    ['the same text', write('/d/a', 'same\n')],
    ['the same removal', (fs) => fs.rmSync('/d/a')],
    ['the same new file', write('/d/new', 'new\n')],
    ['the same directory', (fs) => fs.mkdirSync('/d/sub')],
    ['the same link', (fs) => fs.symlinkSync('a', '/d/link')],
    ['the same mode', (fs) => fs.chmodSync('/d/a', 0o755)],
    ['the same rename', (fs) => fs.renameSync('/d/a', '/d/b')],
    ['a file that became a directory', (fs) => (fs.rmSync('/d/a'), fs.mkdirSync('/d/a'))],
    [
      'a directory that became a file',
      (fs) => (fs.rmSync('/d', { recursive: true }), fs.writeFileSync('/d', 'F')),
    ],
  ];
  it.each(same)('takes %s on both sides for no conflict', async (_what, edit) => {
    const { conflict, workspace } = await commitBoth({ a: 'a\n' }, { ours: edit, theirs: edit });
    expect(conflict).toBeUndefined();
    // There was nothing left to be written.
    expect(workspace.seq()).toBe(2);
  });

  const conflicts: readonly (readonly [what: string, paths: string[], ours: Edit, theirs: Edit])[] =
    [
      ['a change of what was removed', ['/d/a'], write('/d/a', 'x'), (fs) => fs.rmSync('/d/a')],
      ['a removal of what was changed', ['/d/a'], (fs) => fs.rmSync('/d/a'), write('/d/a', 'x')],
      ['two different new files', ['/d/n'], write('/d/n', 'x'), write('/d/n', 'y')],
      [
        'a file where a directory is now',
        ['/d/n'],
        write('/d/n', 'x'),
        (fs) => fs.mkdirSync('/d/n'),
      ],
      [
        'a file in a directory that was removed',
        ['/d/n'],
        write('/d/n', 'x'),
        (fs) => fs.rmSync('/d', { recursive: true }),
      ],
      [
        'a file in a directory that was renamed',
        ['/d/a'],
        write('/d/a', 'x'),
        (fs) => fs.renameSync('/d', '/e'),
      ],
      [
        'a rename of a directory that got a file',
        ['/d'],
        (fs) => fs.renameSync('/d', '/e'),
        write('/d/n', 'x'),
      ],
      [
        'two modes',
        ['/d/a'],
        (fs) => fs.chmodSync('/d/a', 0o755),
        (fs) => fs.chmodSync('/d/a', 0o600),
      ],
      [
        'two links',
        ['/d/l'],
        (fs) => fs.symlinkSync('a', '/d/l'),
        (fs) => fs.symlinkSync('bin', '/d/l'),
      ],
      ['binary files', ['/d/bin'], write('/d/bin', '\0ours'), write('/d/bin', '\0theirs')],
    ];
  it.each(conflicts)('refuses %s', async (_what, paths, ours, theirs) => {
    const files = { a: 'a\n', bin: Uint8Array.from([0, 1]) };
    expect((await commitBoth(files, { ours, theirs })).conflict).toEqual(paths);
  });

  it('takes the mode from the one side and the text from the other', async () => {
    const { workspace, conflict } = await commitBoth(
      { a: 'a\n' },
      { ours: write('/d/a', 'ours\n'), theirs: (fs) => fs.chmodSync('/d/a', 0o755) },
    );
    const { mode } = await workspace.fs.stat('/d/a');
    expect([conflict, mode & 0o777, await workspace.fs.readFile('/d/a', 'utf8')]).toEqual([
      undefined,
      0o755,
      'ours\n',
    ]);
  });

  it('merges with what was committed right before it, however many come at once', async () => {
    const lines = Array.from({ length: 40 }, (_, at) => `line ${at}`);
    const { workspace, draft } = await openWith({ a: lines.join('\n\n') });
    const drafts = await Promise.all(
      lines.map((line) =>
        draft((fs) => {
          const text = fs.readFileSync('/d/a', 'utf8');
          fs.writeFileSync('/d/a', text.replace(`${line}\n`, `${line}!\n`));
        }),
      ),
    );
    await Promise.all(drafts.map((changeSet) => workspace.commit(changeSet, merging)));
    const expected = lines.map((line, at) => (at < 39 ? `${line}!` : line)).join('\n\n');
    expect(await workspace.fs.readFile('/d/a', 'utf8')).toBe(expected);
  });

  it('answers a commit that is sent again without merging it with itself', async () => {
    const { workspace, draft } = await openWith({ a: 'a\n' });
    const changeSet = await draft(write('/d/a', 'ours\n'));
    const options = { ...merging, origin: { client: 'tab', number: 1 } };
    const { seq } = await workspace.commit(changeSet, options);
    await workspace.fs.writeFile('/d/a', 'theirs\n');
    expect(await workspace.commit(changeSet, options)).toEqual({ seq });
    expect(await workspace.fs.readFile('/d/a', 'utf8')).toBe('theirs\n');
  });

  it('refuses any other way of merging', async () => {
    const { workspace, draft } = await openWith({});
    const options = { ...agent, merge: 'ours' } as unknown as CommitOptions;
    const commit = workspace.commit(await draft(write('/x', '')), options);
    await expect(commit).rejects.toThrow("merge is 'text', or left out.");
  });
});
