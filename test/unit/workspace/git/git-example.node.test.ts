// The example of docs/git.md does what it says.
import { describe, expect, it } from 'vitest';
import { beginProject, lookAt, review, workOnBranch } from '../../../../docs/examples/git.ts';

describe('the example of docs/git.md', () => {
  it('begins a project, works on a branch, shows what changed and looks at another state', async () => {
    const { view, git } = await beginProject({ '/a.txt': 'one\ntwo\n', '/b.txt': 'b\n' });
    const edit = (text: string) => view.fs.writeFile('/a.txt', text);
    expect(await workOnBranch(git, () => edit('one\nTWO\n'))).toEqual([]);
    const commits = await git.log();
    // Within a second the order is git's own: parents may come before their children.
    expect(commits.map(({ message }) => message.trim()).sort()).toEqual([
      'Begin',
      'Do the work',
      "Merge branch 'topic'",
    ]);
    await edit('ONE\nTWO\n');
    await view.fs.writeFile('/new.txt', 'new\n');
    const shown = await review(git);
    expect(shown).toBe('on main\n M a.txt\n?? new.txt\na.txt +1 -1');
    expect(await lookAt(git, 'HEAD~1')).toBe(1);
    expect(await review(git)).toBe(shown);
    expect(await view.fs.readFile('/a.txt', 'utf8')).toBe('ONE\nTWO\n');
  });

  it('gives the paths in conflict, and leaves none behind', async () => {
    const { view, git } = await beginProject({ '/a.txt': 'one\n' });
    await git.switch('other', { create: true });
    await view.fs.writeFile('/a.txt', 'other\n');
    await git.commit({ message: 'Other', all: true });
    await git.switch('main');
    const paths = await workOnBranch(git, async () => {
      await view.fs.writeFile('/a.txt', 'topic\n');
      await git.switch('topic');
    });
    expect(paths).toEqual([]);
    await git.merge('other').then((merged) => expect(merged.type).toBe('conflict'));
    expect(await view.fs.readFile('/a.txt', 'utf8')).toBe(
      '<<<<<<< HEAD\ntopic\n=======\nother\n>>>>>>> other\n',
    );
    await view.fs.writeFile('/a.txt', 'both\n');
    await git.add('a.txt');
    await git.commit();
    const [{ message, parents } = { message: '', parents: [] }] = await git.log();
    expect([message, parents.length]).toEqual(["Merge branch 'other'\n", 2]);
  });
});
