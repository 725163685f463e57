// The state of the project's git for the header and the panel. It is read when the workspace hasn't changed for a
// moment, and only the parts that may have changed. Listeners get each state.
import type { BrowserHost } from 'rockpool/browser';
import { SdkError } from 'rockpool/browser';
import type { GitBranch, GitCommit, GitStatus } from 'rockpool/git';
import { messageOf } from '../message-of.ts';

/** The distance of a branch to the branch that it follows on a server, as last fetched. */
export interface BranchDistance {
  readonly ahead: number;
  readonly behind: number;
}

type GitFacts =
  | { readonly kind: 'looking' }
  /** The project has no repository. */
  | { readonly kind: 'none' }
  | { readonly kind: 'failed'; readonly message: string }
  | {
      readonly kind: 'ready';
      readonly status: GitStatus;
      readonly branches: readonly GitBranch[];
      readonly hasRemote: boolean;
      /** Null if no branch of a server is known. */
      readonly distance: BranchDistance | null;
    };

/** `number` grows with each state. Data that was read for an older state may be stale. */
export type GitState = GitFacts & { readonly number: number };

export interface GitWatch extends Disposable {
  getSnapshot(): GitState;
  subscribe(listener: () => void): () => void;
  /** Reads the state now. Resolves when listeners have been called. */
  refresh(): Promise<void>;
}

/**
 * In milliseconds: a pause that ends a burst of changes. During steady changes the state is still read from time to
 * time.
 */
const restMs = 250;
const longestMs = 2000;

/** How many commits of a branch are compared with the server's. */
const maxCompared = 500;

export function createGitWatch({ git, workspace, cwd }: BrowserHost): GitWatch {
  const listeners = new Set<() => void>();
  let state: GitState = { kind: 'looking', number: 0 };
  let timer: ReturnType<typeof setTimeout> | undefined;
  let dirtySinceMs: number | undefined;
  let looking: Promise<void> | undefined;
  let isStale = false;
  let isDisposed = false;
  /** Branches are read again when a file in `.git` has changed. */
  let known: Pick<GitState & { kind: 'ready' }, 'branches' | 'hasRemote' | 'distance'> | undefined;

  async function read(): Promise<GitFacts> {
    if (!(await isThere(`${cwd}/.git`))) return { kind: 'none' };
    const before = known;
    const status = await git.status();
    if (before && before === known) return { kind: 'ready', status, ...before };
    const [branches, remotes] = await Promise.all([
      git.branch.list({ remotes: true }),
      git.remote.list(),
    ]);
    const distance = await compare(status, branches);
    const next = { branches, hasRemote: remotes.length > 0, distance };
    known = next;
    return { kind: 'ready', status, ...next };
  }

  async function isThere(path: string): Promise<boolean> {
    try {
      await workspace.fs.stat(path);
      return true;
    } catch (error) {
      if (SdkError.isInstance(error) && error.code === 'ENOENT') return false;
      throw error;
    }
  }

  async function compare(
    { branch, head }: GitStatus,
    branches: readonly GitBranch[],
  ): Promise<BranchDistance | null> {
    const theirs = branches.find(({ name, isRemote }) => isRemote && name === `origin/${branch}`);
    if (!theirs?.oid || head === null) return null;
    if (theirs.oid === head) return { ahead: 0, behind: 0 };
    const [own, other] = await Promise.all([
      git.log({ maxCount: maxCompared }),
      git.log({ ref: theirs.name, maxCount: maxCompared }),
    ]);
    return {
      ahead: countUntil(head, own, new Set(other.map(({ oid }) => oid))),
      behind: countUntil(theirs.oid, other, new Set(own.map(({ oid }) => oid))),
    };
  }

  async function look(): Promise<void> {
    do {
      isStale = false;
      dirtySinceMs = undefined;
      const number = state.number + 1;
      const next = await read().catch(toFailure);
      if (isDisposed) return;
      state = { ...next, number };
      for (const listener of listeners) listener();
    } while (isStale);
  }

  function refresh(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    isStale = true;
    looking ??= look().finally(() => (looking = undefined));
    return looking;
  }

  // Only when the page is idle, because nobody waits for the status of many files.
  const schedule = () => {
    dirtySinceMs ??= performance.now();
    clearTimeout(timer);
    const left = dirtySinceMs + longestMs - performance.now();
    const whenIdle = () => requestIdleCallback(() => void refresh(), { timeout: longestMs });
    timer = setTimeout(whenIdle, Math.max(0, Math.min(restMs, left)));
  };
  const following = workspace.onChange(({ root, changes }) => {
    if (root !== 'main') return;
    const own = changes.filter(({ path }) => path === cwd || path.startsWith(`${cwd}/`));
    if (own.length === 0) return;
    if (own.some(({ path }) => `${path}/`.startsWith(`${cwd}/.git/`))) known = undefined;
    schedule();
  });
  void refresh();

  return {
    getSnapshot: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    refresh,
    [Symbol.dispose]() {
      isDisposed = true;
      clearTimeout(timer);
      following[Symbol.dispose]();
      listeners.clear();
    },
  };
}

function toFailure(error: unknown): GitFacts {
  return { kind: 'failed', message: messageOf(error) };
}

/** Counts the commits from this one back that the others don't have. */
function countUntil(
  head: string,
  commits: readonly GitCommit[],
  others: ReadonlySet<string>,
): number {
  const byId = new Map(commits.map((commit) => [commit.oid, commit]));
  const seen = new Set<string>();
  const open = [head];
  for (let oid = open.pop(); oid !== undefined; oid = open.pop()) {
    const commit = byId.get(oid);
    if (!commit || others.has(oid) || seen.has(oid)) continue;
    seen.add(oid);
    open.push(...commit.parents);
  }
  return seen.size;
}
