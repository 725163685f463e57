// The graph of commits: lists by date, and merge bases. The oldest commits of a shallow clone have
// no parents here.
import type { GitCommit, Oid } from './git.ts';
import { readCommit } from './refs.ts';
import type { Repository } from './repository.ts';

/** Reads and caches commits, and cuts off their parents where a shallow clone ends. */
export class Commits {
  readonly #repository: Repository;
  readonly #known = new Map<Oid, GitCommit>();
  readonly #ends: ReadonlySet<Oid>;

  constructor(repository: Repository) {
    this.#repository = repository;
    const path = `${repository.commonDirectory}/shallow`;
    const { sync } = repository.files;
    this.#ends = new Set(
      sync.existsSync(path) ? sync.readFileSync(path, 'utf8').split('\n').filter(Boolean) : [],
    );
  }

  get(oid: Oid): GitCommit {
    let commit = this.#known.get(oid);
    if (!commit) {
      const read = readCommit(this.#repository, oid);
      commit = this.#ends.has(oid) ? { ...read, parents: [] } : read;
      this.#known.set(oid, commit);
      if (this.#known.size % 1000 === 0) this.#repository.checkAborted();
    }
    return commit;
  }
}

/**
 * Yields commits from these backwards, newest first by committer date and without duplicates: the
 * order of `git log`. `follow` is called when the caller has finished with a commit.
 */
export function* walkCommits(
  commits: Commits,
  from: Iterable<Oid>,
  follow: (commit: GitCommit) => readonly Oid[] = ({ parents }) => parents,
): Generator<GitCommit> {
  const waiting = new NewestFirst();
  const seen = new Set<Oid>();
  const add = (oid: Oid): void => {
    if (seen.has(oid)) return;
    seen.add(oid);
    waiting.add(commits.get(oid));
  };
  for (const oid of from) add(oid);
  for (let commit = waiting.take(); commit; commit = waiting.take()) {
    yield commit;
    for (const parent of follow(commit)) add(parent);
  }
}

/**
 * Counts the commits of `from` that aren't in any of `without`, up to `limit`. Decided by dates as
 * in git, so wrong clocks may make it higher.
 */
export function countAhead(
  commits: Commits,
  from: Oid,
  without: readonly Oid[],
  limit: number,
): number {
  const waiting = new NewestFirst();
  /** Caches whether a commit is reachable from `without`. */
  const known = new Map<Oid, boolean>();
  let open = 0;
  const add = (oid: Oid, isKnown: boolean): void => {
    const before = known.get(oid);
    if (before === undefined) {
      waiting.add(commits.get(oid));
      if (!isKnown) open += 1;
    } else if (!before && isKnown) open -= 1;
    if (before !== true) known.set(oid, isKnown);
  };
  for (const oid of without) add(oid, true);
  add(from, false);
  let ahead = 0;
  while (open > 0 && ahead < limit) {
    const commit = waiting.take();
    if (!commit) break;
    const isKnown = known.get(commit.oid) === true;
    if (!isKnown) {
      open -= 1;
      ahead += 1;
      // The commit was already counted, so the result isn't corrected.
      known.set(commit.oid, true);
    }
    for (const parent of commit.parents) add(parent, isKnown);
  }
  return ahead;
}

/** Returns the newest commit by date. Of equal dates, the one that was added first. */
class NewestFirst {
  readonly #heap: { readonly commit: GitCommit; readonly order: number }[] = [];
  #count = 0;

  add(commit: GitCommit): void {
    const heap = this.#heap;
    heap.push({ commit, order: (this.#count += 1) });
    for (let at = heap.length - 1; at > 0;) {
      const parent = (at - 1) >> 1;
      if (!this.#isBefore(at, parent)) break;
      this.#swap(at, parent);
      at = parent;
    }
  }

  take(): GitCommit | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first && last && heap.length > 0) {
      heap[0] = last;
      for (let at = 0; ;) {
        const [left, right] = [at * 2 + 1, at * 2 + 2];
        let best = at;
        if (left < heap.length && this.#isBefore(left, best)) best = left;
        if (right < heap.length && this.#isBefore(right, best)) best = right;
        if (best === at) break;
        this.#swap(at, best);
        at = best;
      }
    }
    return first?.commit;
  }

  #isBefore(left: number, right: number): boolean {
    const [one, other] = [this.#heap[left], this.#heap[right]];
    if (!one || !other) return false;
    const byDate = other.commit.committer.timestamp - one.commit.committer.timestamp;
    return byDate === 0 ? one.order < other.order : byDate < 0;
  }

  #swap(left: number, right: number): void {
    const [one, other] = [this.#heap[left], this.#heap[right]];
    if (!one || !other) return;
    this.#heap[left] = other;
    this.#heap[right] = one;
  }
}

/** Returns all commits reachable from one, including itself. */
function ancestorsOf(commits: Commits, oid: Oid): Set<Oid> {
  const found = new Set<Oid>([oid]);
  for (const at of found) {
    for (const parent of commits.get(at).parents) found.add(parent);
  }
  return found;
}

/**
 * Returns the merge bases: common ancestors that aren't ancestors of each other, newest first.
 * Empty if there are none.
 */
export function mergeBases(commits: Commits, left: Oid, right: Oid): Oid[] {
  if (left === right) return [left];
  const ofLeft = ancestorsOf(commits, left);
  // Searches from the right side up to the first common commits. Their ancestors can't be best.
  const common: Oid[] = [];
  const seen = new Set<Oid>([right]);
  for (const at of seen) {
    if (ofLeft.has(at)) common.push(at);
    else for (const parent of commits.get(at).parents) seen.add(parent);
  }
  const best = common.filter(
    (oid) => !common.some((other) => other !== oid && ancestorsOf(commits, other).has(oid)),
  );
  const date = (oid: Oid) => commits.get(oid).committer.timestamp;
  return best.sort((one, other) => date(other) - date(one));
}

/** True if `ancestor` is reachable from `oid`. */
export function isAncestor(commits: Commits, ancestor: Oid, oid: Oid): boolean {
  const seen = new Set<Oid>([oid]);
  for (const at of seen) {
    if (at === ancestor) return true;
    for (const parent of commits.get(at).parents) seen.add(parent);
  }
  return false;
}
