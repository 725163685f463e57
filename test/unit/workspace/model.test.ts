// The workspace against a naive model of it. Any steps, in any order, leave both in the same state.
// That holds here, in a replica that follows, and in a writer that opens the log again.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SdkError } from '../../../src/core/errors.ts';
import { isInside } from '../../../src/core/path.ts';
import { createDraftView } from '../../../src/workspace/draft/draft-view.ts';
import { Draft } from '../../../src/workspace/draft/draft.ts';
import { createMemoryMedium } from '../../../src/workspace/drivers/memory.ts';
import type { SyncFileSystem } from '../../../src/workspace/files/file-system.ts';
import { rootOf } from '../../../src/workspace/state/state.ts';
import type { ViewSource, WorkspaceView } from '../../../src/workspace/draft/view.ts';
import type { ChangeAuthor } from '../../../src/workspace/workspace.ts';
import { createWriterWorkspace } from '../../../src/workspace/commit/writer-workspace.ts';
import { editTree, editView, type Edit } from '../../support/files/naive-edits.ts';
import * as naive from '../../support/files/naive-workspace.ts';
import type { NaiveDraft, NaiveRoot, NaiveTree } from '../../support/files/naive-workspace.ts';
import { runsHere } from '../../support/runs-here.ts';
import { openAccess, openReplicaOf, openTestWriter } from '../../support/files/workspaces.ts';

type StepType =
  | 'work'
  | 'rm'
  | 'open'
  | 'edit'
  | 'fork'
  | 'absorb'
  | 'commit'
  | 'checkpoint'
  | 'branch'
  | 'drop'
  | 'merge'
  | 'rewind';

interface Step {
  readonly type: StepType;
  readonly edits: readonly Edit[];
  readonly author: ChangeAuthor;
  /** A commit merges; a rewind keeps. */
  readonly isAsked: boolean;
  /** Which of the drafts; which of the roots that fit, counted round. */
  readonly draft: number;
  readonly root: number;
  readonly into: number;
  readonly paths: readonly string[];
}

const path = fc.constantFrom('/a', '/b', '/c', '/a/a', '/a/b', '/b/a', '/b/c', '/a/d', '/a/d/a');
const edit: fc.Arbitrary<Edit> = fc.record({
  type: fc.constantFrom<Edit['type']>(
    ...(['line', 'line', 'line', 'line', 'write', 'write', 'mkdir', 'chmod'] as const),
    ...(['rm', 'rename', 'symlink'] as const),
  ),
  path,
  to: path,
  number: fc.nat({ max: 9 }),
});
const step: fc.Arbitrary<Step> = fc.record({
  type: fc.constantFrom<StepType>(
    ...(['work', 'work', 'work', 'open', 'open', 'edit', 'commit', 'commit', 'commit'] as const),
    ...(['fork', 'absorb', 'absorb', 'checkpoint', 'checkpoint', 'branch', 'branch'] as const),
    ...(['drop'] as const),
    ...(['merge', 'merge', 'merge', 'rewind', 'rewind', 'rewind', 'rm'] as const),
  ),
  edits: fc.array(edit, { minLength: 1, maxLength: 3 }),
  author: fc.constantFrom<ChangeAuthor>({ kind: 'user' }, { kind: 'agent' }),
  isAsked: fc.boolean(),
  draft: fc.nat({ max: 1 }),
  root: fc.nat({ max: 6 }),
  into: fc.nat({ max: 6 }),
  paths: fc.oneof(fc.constant(['/']), fc.array(path, { minLength: 1, maxLength: 2 })),
});

/** What every run begins with: enough for most edits to be possible. */
const firstEdits: readonly Edit[] = [
  ...['/a', '/b', '/a/d'].map((each) => ({ type: 'mkdir' as const, path: each })),
  ...['/c', '/a/a', '/a/b', '/b/a', '/a/d/a'].map((each) => ({
    type: 'write' as const,
    path: each,
  })),
].map((each) => ({ ...each, to: each.path, number: 0 }));

interface OpenDraft {
  readonly root: string;
  readonly real: Draft;
  readonly view: WorkspaceView;
  readonly model: NaiveDraft;
  fork?: OpenDraft | undefined;
}

/** Both, side by side. Each step is done to the one and to the other, and their answers compared. */
async function openBoth() {
  const medium = createMemoryMedium();
  const writer = await openTestWriter(medium);
  const workspace = createWriterWorkspace(writer);
  const { replica } = await openReplicaOf(writer);
  const roots = new Map<string, NaiveRoot>();
  const edits = new Map<string, number>();
  const drafts: (OpenDraft | undefined)[] = [];
  let main: NaiveTree = new Map();
  let seq = 0;
  let now = 0;

  const idsOf = (kind: NaiveRoot['kind']) =>
    [...roots].filter(([, root]) => root.kind === kind).map(([id]) => id);
  const pickFrom = (ids: readonly string[], at: number) => ids[at % ids.length];
  /** `main` or a branch. */
  const workAt = (at: number) => pickFrom(['main', ...idsOf('branch')], at) ?? 'main';
  const treeOf = (id: string) => roots.get(id)?.tree ?? main;

  /** What the model knows of a record: undefined for a refusal. */
  function record(id: string, tree: NaiveTree | undefined): void {
    if (!tree) return;
    const root = roots.get(id);
    if (root) root.tree = tree;
    else main = tree;
  }

  function noteEdits(changes: readonly naive.NaiveChange[], isUser: boolean): void {
    for (const change of changes) {
      if (isUser) edits.set(change.path, seq);
      else if (!change.entry) edits.delete(change.path);
    }
  }

  function open(id: string, real: Draft, model: NaiveDraft): OpenDraft {
    const access = openAccess('/');
    const view = createDraftView({
      draft: real,
      contents: writer.contents,
      access,
      now: () => now,
    });
    return { root: id, real, view, model };
  }

  function openOn(id: string): OpenDraft {
    const tree = treeOf(id);
    const real = new Draft(rootOf(writer.state, id), writer.seq);
    return open(id, real, { base: tree, start: tree, tree });
  }

  function editDraft({ model, view }: OpenDraft, edits_: readonly Edit[]): void {
    for (const one of edits_) {
      now += 1;
      // Whatever follows a link is the file system's own affair.
      const { kind } = model.tree.get(one.path)?.entry ?? {};
      if (kind === 'symlink' && ['write', 'line', 'chmod'].includes(one.type)) continue;
      const tree = editTree(model.tree, one, now);
      let isDone = true;
      try {
        editView(view.fs.sync, one, now);
      } catch (error) {
        if (!SdkError.isInstance(error)) throw error;
        isDone = false;
      }
      expect([one, isDone]).toEqual([one, tree !== undefined]);
      model.tree = tree ?? model.tree;
    }
  }

  async function commit(
    { root, real, model }: OpenDraft,
    { author, isAsked }: Pick<Step, 'author' | 'isAsked'>,
  ) {
    const changeSet = real.changeSet();
    const changes = naive.changesBetween(model.base, model.tree);
    const changed = changeSet?.changes.map(({ path: at }) => at) ?? [];
    expect(changed.toSorted()).toEqual(changes.map(({ path: at }) => at).toSorted());
    if (!changeSet) return;
    const merge = isAsked ? { merge: 'text' as const } : {};
    const isRefused = await isConflict(workspace.commit(changeSet, { author, root, ...merge }));
    const target = roots.get(root);
    const baseOf = (at: string) => {
      const [old, fresh] = [model.base.get(at)?.entry, model.tree.get(at)?.entry];
      return old?.kind === 'file' && fresh?.kind === 'file' ? old : undefined;
    };
    const current = treeOf(root);
    const merged = isAsked
      ? naive.mergeChanges(current, changes, model.base, baseOf)
      : changes.filter(({ path: at }) => current.get(at)?.version === model.base.get(at)?.version);
    const isComplete = isAsked || merged?.length === changes.length;
    const fits = merged && isComplete;
    const tree = fits ? naive.apply(current, merged, seq + 1, model.base) : undefined;
    const isGone = root !== 'main' && target?.kind !== 'branch';
    expect(isRefused).toBe(isGone || !tree);
    if (!tree || !merged || isGone || merged.length === 0) return;
    seq += 1;
    record(root, tree);
    if (root === 'main') noteEdits(merged, author.kind === 'user');
  }

  async function work(id: string, { author, edits: edits_ }: Pick<Step, 'author' | 'edits'>) {
    const draft = openOn(id);
    editDraft(draft, edits_);
    await commit(draft, { author, isAsked: false });
  }

  /** By the user's own face, which commits what goes with a directory as one change. */
  async function remove(removed: readonly string[]): Promise<void> {
    const [at = '/a'] = removed.filter((each) => each !== '/');
    const isRefused = await isFailing(workspace.fs.rm(at, { recursive: true }), [
      'ENOENT',
      'ENOTDIR',
    ]);
    expect(isRefused).toBe(!main.has(at));
    const left = new Map([...main].filter(([each]) => !isInside(at, each)));
    const changes = naive.changesBetween(main, left);
    if (isRefused) return;
    seq += 1;
    record('main', left);
    noteEdits(changes, true);
  }

  async function merge({ root, into: at, paths, author, edits: edits_ }: Step): Promise<void> {
    const id = pickFrom(idsOf('branch'), root);
    const into = workAt(at);
    const branch = roots.get(id ?? '');
    if (!id || !branch || id === into) return;
    await work(id, { author, edits: edits_ });
    const isRefused = await isConflict(workspace.roots.merge(id, { author, paths, into }));
    const accepted = naive.take(branch.base, branch.tree, paths);
    const changes = naive.changesBetween(branch.base, accepted);
    const baseOf = (path_: string) => branch.base.get(path_)?.entry;
    const merged = naive.mergeChanges(treeOf(into), changes, branch.base, baseOf);
    const tree = merged && naive.apply(treeOf(into), merged, seq + 1);
    expect(isRefused).toBe(!tree);
    if (!tree || !merged || changes.length === 0) return;
    seq += 1;
    record(into, tree);
    branch.base = accepted;
    if (into === 'main') noteEdits(merged, false);
  }

  async function rewind({ root, paths, author, isAsked }: Step): Promise<void> {
    const id = pickFrom(idsOf('checkpoint'), root);
    const checkpoint = roots.get(id ?? '');
    if (!id || !checkpoint) return;
    const keep = isAsked ? { keep: 'user' as const } : {};
    const { undo, kept } = await workspace.roots.rewind(id, { author, paths, ...keep });
    const since = [...edits].filter(([, edited]) => edited > checkpoint.seq).map(([each]) => each);
    const plan = naive.rewind(main, checkpoint.tree, { paths, edited: isAsked ? since : [] });
    expect(kept).toEqual(plan.kept);
    const before = main;
    seq += 1;
    record('main', naive.apply(main, naive.changesBetween(main, plan.tree), seq));
    roots.set(undo, { kind: 'checkpoint', seq, base: before, tree: before });
  }

  async function make(kind: NaiveRoot['kind'], { author, root }: Step): Promise<void> {
    if (roots.size > 6) return;
    const from = kind === 'checkpoint' ? 'main' : workAt(root);
    const made =
      kind === 'checkpoint'
        ? await workspace.roots.checkpoint('', { author })
        : await workspace.roots.branch('', { author, from });
    seq += 1;
    const tree = treeOf(from);
    roots.set(made.id, { kind, seq, base: tree, tree });
  }

  async function drop({ author, root }: Step): Promise<void> {
    const id = pickFrom([...roots.keys()], root);
    if (!id || roots.size < 3) return;
    await workspace.roots.drop(id, { author });
    roots.delete(id);
    seq += 1;
  }

  function fork(outer: OpenDraft, edits_: readonly Edit[]): OpenDraft {
    const { base, tree } = outer.model;
    outer.fork = open(outer.root, outer.real.fork(), { base, start: tree, tree });
    editDraft(outer.fork, edits_);
    return outer.fork;
  }

  async function absorb(outer: OpenDraft, { edits: late, isAsked }: Step): Promise<void> {
    const { model, real } = outer;
    const inner = outer.fork ?? fork(outer, late);
    // The outer one goes on first, so that there is something to be joined.
    if (isAsked) editDraft(outer, late);
    const tree = naive.absorb(model.tree, inner.model);
    expect(await isConflict((async () => real.absorb(inner.real))())).toBe(!tree);
    model.tree = tree ?? model.tree;
    outer.fork = undefined;
  }

  async function take(one: Step): Promise<void> {
    const { type, draft: at, edits: edits_ } = one;
    const outer = drafts[at];
    switch (type) {
      case 'work':
        return work(workAt(one.root), one);
      case 'rm':
        return remove(one.paths);
      case 'open': {
        const draft = openOn(workAt(one.root));
        editDraft(draft, edits_);
        drafts[at] = draft;
        return;
      }
      case 'edit':
        return outer && editDraft(outer.fork ?? outer, edits_);
      case 'fork':
        return outer && void fork(outer, edits_);
      case 'absorb':
        return outer && absorb(outer, one);
      case 'commit':
        drafts[at] = undefined;
        return outer && commit(outer, one);
      case 'checkpoint':
      case 'branch':
        return make(type, one);
      case 'drop':
        return drop(one);
      case 'merge':
        return merge(one);
      case 'rewind':
        return rewind(one);
    }
  }

  async function compare(): Promise<void> {
    expect(workspace.seq()).toBe(seq);
    for (const source of [workspace, replica]) await compareRoots(source);
    for (const { view, model } of drafts.flatMap((each) => [each ?? [], each?.fork ?? []].flat())) {
      expect(readTree(view.fs.sync, false)).toEqual(shown(model.tree, false));
    }
  }

  async function compareRoots(source: ViewSource): Promise<void> {
    for (const id of ['main', ...roots.keys()]) {
      const { fs } = await source.openView({ root: id, minSeq: seq }, openAccess('/'));
      expect(readTree(fs.sync, true)).toEqual(shown(treeOf(id), true));
    }
  }

  async function compareReopened(): Promise<void> {
    await writer.close();
    await compareRoots(createWriterWorkspace(await openTestWriter(medium)));
  }

  await work('main', { author: { kind: 'user' }, edits: firstEdits });
  return { take, compare, compareReopened };
}

/** A root that is gone, or takes no commits, refuses as well as a conflict does. */
function isConflict(operation: Promise<unknown>): Promise<boolean> {
  return isFailing(operation, ['ECONFLICT', 'invalid-input']);
}

async function isFailing(operation: Promise<unknown>, codes: readonly string[]): Promise<boolean> {
  try {
    await operation;
    return false;
  } catch (error) {
    if (SdkError.isInstance(error) && codes.includes(error.code)) return true;
    throw error;
  }
}

type Shown = Record<string, readonly unknown[]>;

function readTree(fs: SyncFileSystem, hasVersions: boolean): Shown {
  const tree: Shown = {};
  for (const name of fs.readdirSync('/', { recursive: true })) {
    const at = `/${name}`;
    const { mode, mtimeMs, version, ...stats } = fs.lstatSync(at);
    const content = stats.isFile()
      ? fs.readFileSync(at, 'utf8')
      : stats.isSymbolicLink() && fs.readlinkSync(at);
    tree[at] = [content, mode & 0o777, mtimeMs, hasVersions ? version : 0];
  }
  return tree;
}

function shown(tree: NaiveTree, hasVersions: boolean): Shown {
  const entries = [...tree].map(([at, { entry, version }]) => {
    const content = entry.kind === 'file' ? entry.text : entry.kind === 'symlink' && entry.target;
    const mode = entry.kind === 'symlink' ? 0o777 : entry.mode;
    return [at, [content, mode, entry.mtimeMs, hasVersions ? version : 0]] as const;
  });
  return Object.fromEntries(entries);
}

it('a workspace is what a naive model of it is, after every step, in replicas and on the medium too', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 60 }), async (steps) => {
      const both = await openBoth();
      for (const one of steps) {
        await both.take(one);
        await both.compare();
      }
      await both.compareReopened();
    }),
    // The time is for shrinking: what was found is shown before the test is cut.
    { numRuns: runsHere(50), interruptAfterTimeLimit: 20_000 },
  );
});
