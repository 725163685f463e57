// Random histories made by our git: files that come and go, branches that meet, stashes, tags and work trees. A
// refused command must change nothing, which is checked each time.
import { SdkError } from '../../../src/core/errors.ts';
import { createMemoryWorkspace } from '../../../src/workspace/memory-workspace.ts';
import type { WorkspaceView } from '../../../src/workspace/draft/view.ts';
import { createGit } from '../../../src/workspace/git/commands/create-git.ts';
import type { LocalGit } from '../../../src/workspace/git/git.ts';
import type { GitView } from '../../../src/workspace/git/repository.ts';
import { createRandom, type Random } from '../random.ts';
import { agent } from '../files/roots.ts';
import { openAccess } from '../files/workspaces.ts';

const paths = ['a', 'b.txt', 'dir/a', 'dir/b', 'dir/deep/c', 'dir.d/x', 'ü', 'z/a/b/c', 'dir0'];
const branches = ['main', 'one', 'two', 'group/three'];

/** The history's files and git objects; commits of the workspace change the view. */
export class RandomHistory {
  readonly log: string[] = [];
  view!: WorkspaceView;
  git!: LocalGit;
  /** Paths of work trees beside the main one. */
  readonly worktrees: string[] = [];
  readonly #random: Random;
  #workspace!: Awaited<ReturnType<typeof createMemoryWorkspace>>;
  #clock = 1_700_000_000_000;
  #lines = 0;

  private constructor(seed: number) {
    this.#random = createRandom(seed);
  }

  static async open(seed: number): Promise<RandomHistory> {
    const history = new RandomHistory(seed);
    history.#workspace = await createMemoryWorkspace();
    await history.#openView();
    await history.git.init();
    return history;
  }

  /** Commits the draft to the workspace, so that its contents get ids, and begins a new draft. */
  async commitDraft(): Promise<void> {
    const changes = this.view.changeSet();
    if (changes) await this.#workspace.commit(changes, agent);
    await this.#openView();
  }

  async #openView(): Promise<void> {
    const address = { root: 'main', minSeq: this.#workspace.seq() };
    this.view = await this.#workspace.openView(address, openAccess('/'));
    this.git = this.gitIn('/repo');
    this.view.fs.sync.mkdirSync('/repo', { recursive: true });
  }

  gitIn(directory: string): LocalGit {
    const { files, seq } = this.view;
    // Some seconds pass, or none, because commits of the same second have an order, too.
    const scope = { ...files.scope, now: () => (this.#clock += this.#random.below(3000)) };
    const view: GitView = { seq, files: { ...files, scope } };
    const author = { name: 'Ann Übel', email: 'ann@example.org' };
    return createGit(view, { directory, author, timezoneOffset: -90 });
  }

  async play(steps: number): Promise<void> {
    await this.#begin();
    for (let step = 0; step < steps; step += 1) {
      if (this.#random.chance(0.1)) await this.commitDraft();
      const place = this.#random.chance(0.2)
        ? this.#random.pick(['/repo', ...this.worktrees])
        : '/repo';
      for (let count = this.#random.below(3); count >= 0; count -= 1) this.#changeFile(place);
      await this.#runCommand(place);
    }
  }

  /** Branches that are there, with something to merge. */
  async #begin(): Promise<void> {
    for (const branch of branches.toReversed()) {
      for (let count = 0; count < 8; count += 1) this.#changeFile('/repo');
      await this.git.add('.');
      await this.git.commit({ message: `Begin ${branch}`, allowEmpty: true });
      if (branch !== 'main') await this.git.branch.create(branch);
    }
  }

  #changeFile(place: string): void {
    const random = this.#random;
    const { sync } = this.view.fs;
    const path = `${place}/${random.pick(paths)}`;
    try {
      const parent = path.slice(0, path.lastIndexOf('/'));
      sync.mkdirSync(parent, { recursive: true });
      const stat = sync.lstatSync(path, { throwIfNoEntry: false });
      const kind = random.below(10);
      if (kind === 0) sync.rmSync(path, { recursive: true, force: true });
      else if (kind === 1 && stat) sync.renameSync(path, `${place}/${random.pick(paths)}`);
      else if (kind === 2 && !stat) sync.symlinkSync(random.pick(['a', '../x', 'dir']), path);
      else if (kind === 3 && stat?.isFile()) sync.chmodSync(path, random.pick([0o755, 0o644]));
      else if (stat?.isFile()) this.#editLines(path);
      else if (!stat)
        sync.writeFileSync(path, Array.from({ length: 12 }, (_, at) => `${at}\n`).join(''));
    } catch (error) {
      // A file where a directory would have to be, and the other way round.
      if (!SdkError.isInstance(error)) throw error;
    }
  }

  #editLines(path: string): void {
    const lines = this.view.fs.sync.readFileSync(path, 'utf8').split('\n');
    this.#lines += 1;
    lines[this.#random.below(lines.length)] = `line ${this.#lines}`;
    this.view.fs.sync.writeFileSync(path, lines.join('\n'));
  }

  async #runCommand(place: string): Promise<void> {
    const random = this.#random;
    const git = place === '/repo' ? this.git : this.gitIn(place);
    const branch = random.pick(branches);
    const commands: Record<string, () => Promise<unknown>> = {
      add: () => git.add('.'),
      addOne: () => git.add(random.pick(paths)),
      commit: () =>
        git.add('.').then(() => git.commit({ message: `All ${random.below(100)}\n\nBody` })),
      commitAll: () => git.commit({ message: 'Tracked', all: true }),
      amend: () => git.commit({ message: 'Amended', amend: true }),
      switch: () => git.switch(branch),
      create: () => git.switch(branch, { create: true }),
      force: () => git.switch(branch, { discardChanges: true }),
      detach: () => git.switch('HEAD~1', { detach: true }),
      merge: () => git.merge(branch, { fastForward: random.pick(['allow', 'never']) }),
      resolve: () => git.add('.').then(() => git.commit({ message: 'Resolved' })),
      abort: () => git.abort(),
      pick: () => git.cherryPick(branch),
      revert: () => git.revert('HEAD'),
      stash: () => git.stash.push({ untracked: random.chance(0.5) }),
      pop: () => git.stash.pop(random.below(2)),
      drop: () => git.stash.drop(random.below(2)),
      tag: () =>
        git.tag.create(`v${random.below(3)}`, random.chance(0.5) ? { message: 'Tagged' } : {}),
      restore: () => git.restore('.', { staged: random.chance(0.5), worktree: random.chance(0.5) }),
      reset: () =>
        git.reset({
          mode: random.pick(['soft', 'mixed', 'hard']),
          to: random.pick(['HEAD', 'HEAD~1']),
        }),
      worktree: () => this.#addWorktree(`/wt${this.worktrees.length}`),
      branch: () => git.branch.create(`side${random.below(3)}`, { force: random.chance(0.3) }),
      delete: () => git.branch.delete(`side${random.below(3)}`, { force: random.chance(0.5) }),
    };
    // Commits twice as often: they are what the others work on.
    const name = random.pick([...Object.keys(commands), 'commit', 'commit', 'merge', 'switch']);
    const isMove = ['merge', 'pick', 'revert', 'switch', 'pop', 'worktree'].includes(name);
    // Most moves begin with nothing that they would overwrite.
    if (isMove && random.chance(0.7)) await git.reset({ mode: 'hard' });
    const before = this.view.files.scope.draft.root;
    try {
      await commands[name]?.();
      this.log.push(`${place} ${name}`);
    } catch (error) {
      if (!SdkError.isInstance(error) || error.code === 'EIO' || error.code === 'internal')
        throw error;
      this.log.push(`${place} ${name}: ${error.message}`);
      const isTwo = name === 'commit' || name === 'resolve';
      if (!isTwo && before !== this.view.files.scope.draft.root) {
        throw new TypeError(`${name} was refused, and has changed files: ${error.message}`, {
          cause: error,
        });
      }
    }
  }

  async #addWorktree(path: string): Promise<void> {
    await this.git.worktree.add(path);
    this.worktrees.push(path);
  }
}
