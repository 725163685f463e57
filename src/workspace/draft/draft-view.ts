// Opens a view over a tree of this realm: a draft, the call's access rules, and both file system
// interfaces. Replicas call it for each call, and so does a workspace on one thread.
import type { ContentId } from '../../core/change-set.ts';
import type { PathAccess } from '../../core/access/path-access.ts';
import { createContentEra, type ContentEra } from '../state/content-era.ts';
import type { ContentSource } from '../state/content-source.ts';
import { describeChanges } from './describe-changes.ts';
import { diffRoots } from '../tree/diff-roots.ts';
import { Draft } from './draft.ts';
import { FetchedContents } from './fetched-contents.ts';
import { createAccessGate, type AccessGate } from '../files/access.ts';
import type { LocalFileSystem } from '../files/file-system.ts';
import { createLocalFileSystem } from '../files/local-file-system.ts';
import { nodeAt, type DirectoryNode, type TreeNode } from '../tree/tree.ts';
import type { ForkedView, ViewFiles, WorkspaceView } from './view.ts';

/** A committed tree or a draft, and the access rules of one call. */
export type DraftViewOptions = (CommittedTree | { readonly draft: Draft }) & {
  readonly contents: ContentSource;
  readonly access: PathAccess;
  /** The era of the content ids. @defaultValue a new era */
  readonly era?: ContentEra;
  /** Milliseconds since the epoch. @defaultValue `Date.now` */
  readonly now?: () => number;
};

interface CommittedTree {
  readonly root: DirectoryNode;
  /** The number of the last record in `root`. */
  readonly seq: number;
}

/**
 * Opens the view. Writes go to its change set only, or to the given draft. A nested call gets a
 * fork, which is later absorbed or dropped.
 */
export function createDraftView(options: DraftViewOptions): WorkspaceView {
  const { contents, access, now = Date.now } = options;
  const { era = createContentEra(new AbortController().signal, () => new Map()) } = options;
  const draft = 'draft' in options ? options.draft : new Draft(options.root, options.seq);
  // Created on first use: together they are a quarter of the cost of a call that uses no file.
  let gate: AccessGate | undefined;
  let files: ViewFiles | undefined;
  let fs: LocalFileSystem | undefined;
  let held: FetchedContents | undefined;
  const openAccess = () => (gate ??= createAccessGate(access));
  const openFiles = (): ViewFiles =>
    (files ??= { scope: { draft, cwd: access.cwd, gate: openAccess(), now }, contents, era });
  return {
    seq: draft.baseSeq,
    get files() {
      return openFiles();
    },
    get fs() {
      held ??= new FetchedContents(contents);
      return (fs ??= createLocalFileSystem(openFiles().scope, held));
    },
    contents: {
      newest: (seq = Infinity) => newestContent(draft.base, seq),
      idOf(path) {
        const node = nodeAt(draft.root, path);
        return node?.kind === 'file' && typeof node.content === 'number' ? node.content : undefined;
      },
      get isAbsent() {
        return held?.isAbsent ?? false;
      },
      bring: async () => held?.bring(),
    },
    changeSet: () => draft.changeSet(),
    fileChanges: () => describeChanges(draft, contents, openAccess()),
    heldBytes: () => draft.heldBytes(),
    rollback: () => draft.rollback(),
    hasChanged: (path) => nodeAt(draft.root, path) !== nodeAt(draft.start, path),
    versionOf: (path) => draft.versionOf(path),
    fork: (innerAccess) => forkView(draft, { contents, access: innerAccess, now, era }),
  };
}

function forkView(
  outer: Draft,
  options: Pick<DraftViewOptions, 'contents' | 'access' | 'now' | 'era'>,
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

/** Returns the newest content among files that haven't changed since record `seq`, or 0. */
function newestContent(node: TreeNode, seq: number): ContentId {
  let newest = 0;
  if (node.kind === 'directory') {
    node.entries.forEach((_name, child) => {
      newest = Math.max(newest, newestContent(child, seq));
    });
  } else if (node.kind === 'file' && typeof node.content === 'number' && node.version <= seq) {
    newest = node.content;
  }
  return newest;
}
