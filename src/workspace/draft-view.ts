// A view over a tree that is at hand: a draft, the call's access rules, both faces. What the replica
// and the one-thread workspace open for each call.
import type { PathAccess } from '../core/path-access.ts';
import type { ContentSource } from './content-source.ts';
import { describeChanges } from './describe-changes.ts';
import { diffRoots } from './diff-roots.ts';
import { Draft } from './draft.ts';
import { createAccessGate, type AccessGate } from './files/access.ts';
import type { LocalFileSystem } from './files/file-system.ts';
import { createLocalFileSystem } from './files/local-file-system.ts';
import { createFileSearch } from './search/file-search.ts';
import { SearchMemory } from './search/search-memory.ts';
import { nodeAt, type DirectoryNode } from './tree.ts';
import type { ForkedView, WorkspaceView } from './view.ts';

/** Either a committed tree at one moment, or a draft; and the rules of one call. */
export type DraftViewOptions = (CommittedTree | { readonly draft: Draft }) & {
  readonly contents: ContentSource;
  readonly access: PathAccess;
  /** What searches remember, of the realm's other views too. @defaultValue one of its own */
  readonly memory?: SearchMemory;
  /** Milliseconds since the epoch. @defaultValue `Date.now` */
  readonly now?: () => number;
};

interface CommittedTree {
  readonly root: DirectoryNode;
  /** The number of the last record in `root`. */
  readonly seq: number;
}

/**
 * Opens the view. What it writes is in its change set and nowhere else; where a draft is given, it
 * is in that draft: for a call inside another one's work give a fork, to be absorbed or forgotten.
 */
export function createDraftView(options: DraftViewOptions): WorkspaceView {
  const { contents, access, now = Date.now, memory } = options;
  const draft = 'draft' in options ? options.draft : new Draft(options.root, options.seq);
  // When it is asked for: they are a quarter of what a call costs that looks at no file.
  let gate: AccessGate | undefined;
  let fs: LocalFileSystem | undefined;
  const openAccess = () => (gate ??= createAccessGate(access));
  return {
    seq: draft.baseSeq,
    get fs() {
      if (fs) return fs;
      const scope = { draft, cwd: access.cwd, gate: openAccess(), now };
      const search = createFileSearch(scope, contents, memory ?? new SearchMemory());
      fs = Object.assign(createLocalFileSystem(scope, contents), { search });
      return fs;
    },
    changeSet: () => draft.changeSet(),
    fileChanges: () => describeChanges(draft, contents, openAccess()),
    heldBytes: () => draft.heldBytes(),
    rollback: () => draft.rollback(),
    hasChanged: (path) => nodeAt(draft.root, path) !== nodeAt(draft.start, path),
    versionOf: (path) => draft.versionOf(path),
    fork: (innerAccess) =>
      forkView(draft, { contents, access: innerAccess, now, ...(memory && { memory }) }),
  };
}

function forkView(
  outer: Draft,
  options: Pick<DraftViewOptions, 'contents' | 'access' | 'now' | 'memory'>,
): ForkedView {
  const draft = outer.fork();
  return {
    ...createDraftView({ ...options, draft }),
    replaced() {
      const changed = new Set(draft.changeSet()?.changes.map(({ path }) => path));
      return diffRoots(draft.base, draft.start).filter(({ path }) => changed.has(path));
    },
    join: () => outer.absorb(draft),
  };
}
