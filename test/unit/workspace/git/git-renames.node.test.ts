// Renames in a diff: those that real git finds, of files that were moved, edited, copied about and mixed up by a seed.
import { mkdirSync, renameSync, rmSync, writeFileSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createGit } from '../../../../src/workspace/git/commands/create-git.ts';
import { gitVersion, importFiles, openDirectory } from '../../../support/git/git-export.ts';
import { gitText, openEmptyView, runGit } from '../../../support/git/real-git.ts';
import { createRandom } from '../../../support/random.ts';
import { createMemoryWorkspace } from '../../../../src/workspace/memory-workspace.ts';
import { openAccess } from '../../../support/files/workspaces.ts';

const rounds = Number(process.env['HISTORIES'] ?? 4);

/** Files of a few lines to many, some alike and some the same; then moves and edits, the same and not quite. */
function makeMoves(directory: string, seed: number): void {
  const random = createRandom(seed);
  const places = ['', 'src/', 'src/deep/', 'lib/'];
  const names = ['a.ts', 'b.ts', 'index.ts', 'read me.md', 'long.txt', 'empty'];
  const paths = places.flatMap((place) => names.map((name) => place + name));
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  };
  const line = () => `${random.below(40)} ${'x'.repeat(random.below(90))}\n`;
  const lines = (count: number) => Array.from({ length: count }, line);
  const contents = new Map<string, string[]>();
  for (const path of paths) {
    if (random.below(3) === 0) continue;
    const known = [...contents.values()];
    const text =
      known.length > 0 && random.below(4) === 0
        ? [...random.pick(known)]
        : lines(path.endsWith('empty') ? 0 : 1 + random.below(30));
    contents.set(path, text);
    put(path, text.join(''));
  }
  runGit(directory, ['init', '-q']);
  runGit(directory, ['add', '-A']);
  runGit(directory, ['commit', '-qm', 'before']);
  for (const [path, text] of contents) {
    const kind = random.below(4);
    if (kind === 0) continue;
    const target = random.pick([...paths, `moved/${path}`, `${path}.old`]);
    if (kind === 3) rmSync(join(directory, path));
    else if (!existsSync(join(directory, target))) {
      mkdirSync(dirname(join(directory, target)), { recursive: true });
      renameSync(join(directory, path), join(directory, target));
      const edits = random.below(text.length + 1);
      for (let edit = 0; edit < edits; edit += 1) text[random.below(text.length)] = line();
      if (kind === 2) put(target, text.join('').replaceAll('\n', random.below(5) ? '\n' : '\r\n'));
    }
  }
  runGit(directory, ['add', '-A']);
  runGit(directory, ['commit', '-qm', 'after', '--allow-empty']);
}

describe.skipIf(gitVersion === undefined)('renames', () => {
  it.each(Array.from({ length: rounds }, (_, at) => at + 1))(
    'are those that git finds (seed %i)',
    async (seed) => {
      using directory = openDirectory();
      makeMoves(directory.path, seed);
      const view = await openEmptyView();
      importFiles(view.fs.sync, directory.path, '/');
      const git = createGit(view);
      const real = gitText(directory.path, 'show', '--format=', '--name-status', '--find-renames')
        .split('\n')
        .filter(Boolean)
        .map((said) => said.replace(/^R\d+/u, 'R').replaceAll('"', ''));
      const { files } = await git.show();
      const ours = files.map(({ path, type, renamedFrom }) =>
        renamedFrom === undefined
          ? `${{ create: 'A', update: 'M', delete: 'D' }[type]}\t${path}`
          : `R\t${renamedFrom}\t${path}`,
      );
      expect(ours).toEqual(real);
    },
  );

  it('have their patch, and tell nothing of a file that may not be read', async () => {
    const workspace = await createMemoryWorkspace();
    const rules = [{ effect: 'deny', operation: 'read', glob: 'secret.txt' }] as const;
    const open = (given: object) =>
      workspace.openView({ root: 'main', minSeq: workspace.seq() }, openAccess('/', given));
    const view = await open({});
    const text = 'one\ntwo\nthree\nfour\n';
    const author = { name: 'A', email: 'a@example.org' };
    for (const name of ['old.txt', 'secret.txt']) {
      await view.fs.writeFile(`/${name}`, `${name}\n${text}`);
    }
    const git = createGit(view, { author });
    await git.init();
    await git.add('.');
    await git.commit({ message: 'before' });
    await view.fs.rename('/old.txt', '/new.txt');
    await view.fs.appendFile('/new.txt', 'five\n');
    await view.fs.rename('/secret.txt', '/told.txt');
    await git.add('.');
    expect(await git.diff({ staged: true })).toMatchObject([
      { path: 'new.txt', type: 'update', renamedFrom: 'old.txt', additions: 1, deletions: 0 },
      { path: 'told.txt', type: 'update', renamedFrom: 'secret.txt', additions: 0, deletions: 0 },
    ]);
    // As git has it: a path that is asked for alone has nothing beside it.
    expect(await git.diff({ staged: true, paths: ['new.txt'] })).toMatchObject([
      { path: 'new.txt', type: 'create' },
    ]);
    const changes = view.changeSet();
    if (changes) await workspace.commit(changes, { author: { kind: 'user' } });
    const kept = createGit(await open({ rules }), { author });
    const told = await kept.diff({ staged: true });
    expect(told.map(({ path, type, renamedFrom }) => [path, type, renamedFrom])).toEqual([
      ['new.txt', 'update', 'old.txt'],
      ['told.txt', 'create', undefined],
    ]);
  });
});
