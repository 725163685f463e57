// Finds the parts of a git repository that stay behind if an isolated agent and others have both
// moved it. isolation.ts merges the rest: objects, other branches and tags, settings, and all files
// of the work tree.
import { hasCode } from '../../core/errors.ts';
import { clipText } from '../../core/text/clip-text.ts';
import type { RootTree } from '../../workspace/workspace.ts';

type Files = RootTree['fs'];

/** git's own paths that stay as the other side has them. */
export interface HeldRepositories {
  holds(path: string): boolean;
  /**
   * Describes the consequence in sentences that begin with `Its` or `Your`: the agent's commits are
   * named. Empty: the agent had made none.
   */
  describe(whose: 'Its' | 'Your'): Promise<string>;
}

/** One repository, or one work tree of it, with a conflict in it. */
interface HeldDirectory {
  /** The directory with its HEAD and index: `/p/.git`, `/p/.git/worktrees/x`. */
  readonly directory: string;
  /** `/p/.git`. */
  readonly common: string;
  /** Full names of the refs in conflict, and of the one that HEAD is on. */
  readonly refs: Set<string>;
}

const inGit = /^(?<directory>(?<common>.*?\/\.git)(?:\/worktrees\/[^/]+)?)\/(?<name>.+)$/u;
/** The files of a work tree: HEAD, MERGE_MSG and the like, the index, HEAD's log, a stopped rebase. */
const ofWorkTree = /^(?:[A-Z_]+|index|logs\/HEAD|rebase-merge\/.*)$/u;

/**
 * `conflicts`: paths that can't be merged. HEAD, the index and the branch that HEAD is on mean nothing without each
 * other, so one of them in conflict holds all three. `from`: the agent's files; `onto`: those that stay.
 */
export async function holdRepositories(
  conflicts: ReadonlySet<string>,
  { from, onto }: { readonly from: Files; readonly onto: Files },
): Promise<HeldRepositories> {
  const held = new Map<string, HeldDirectory>();
  for (const path of conflicts) {
    const { directory, common, name } = inGit.exec(path)?.groups ?? {};
    if (!directory || !common || !name || name.startsWith('objects/')) continue;
    const known = held.get(directory) ?? { directory, common, refs: new Set<string>() };
    held.set(directory, known);
    if (name.startsWith('refs/')) known.refs.add(name);
  }
  for (const { directory, refs } of held.values()) {
    const [, ref] = /^ref: (.+)$/mu.exec(await readText(onto, `${directory}/HEAD`)) ?? [];
    if (ref !== undefined) refs.add(ref);
  }
  return {
    holds(path) {
      return [...held.values()].some(({ directory, common, refs }) => {
        if (path.startsWith(`${directory}/`)) {
          if (ofWorkTree.test(path.slice(directory.length + 1))) return true;
        }
        if (!path.startsWith(`${common}/`)) return false;
        const name = path.slice(common.length + 1);
        return refs.has(name) || refs.has(name.replace(/^logs\//u, ''));
      });
    },
    async describe(whose) {
      const sentences: string[] = [];
      for (const { common, refs } of held.values()) {
        for (const ref of refs) {
          const log = `${common}/logs/${ref}`;
          const [own, others] = [await readText(from, log), await readText(onto, log)];
          const commits = listCommits(own, others);
          if (commits.length > 0) sentences.push(describeLost(whose, commits, ref));
        }
      }
      return sentences.join(' ');
    },
  };
}

function describeLost(whose: string, commits: readonly string[], ref: string): string {
  const branch = ref.replace(/^refs\/(?:heads\/)?/u, '');
  const isOne = commits.length === 1;
  // 10: enough to find the others below them.
  const named = commits.slice(-10).join(', ');
  const what = `${whose} ${isOne ? 'commit' : `${commits.length} commits`} (${named})`;
  return `${what} ${isOne ? "wasn't" : "weren't"} put on ${branch}: others have changed that branch or the index meanwhile. What ${isOne ? 'it has' : 'they have'} changed is in the files, and not committed: git.add and git.commit commit it again.`;
}

/** The entries of one log of a ref that the other log lacks: `1a2b3c4 "Subject"`, oldest first. */
function listCommits(own: string, others: string): string[] {
  const known = new Set(others.split('\n'));
  const found: string[] = [];
  for (const line of own.split('\n')) {
    if (known.has(line)) continue;
    const made = /^\S+ (\S{7}).*\t(commit|cherry-pick|revert|merge)(.*?): (.*)$/u.exec(line);
    if (!made) continue;
    const [, id, , how, subject = ''] = made;
    if (how === ' (amend)') found.pop();
    // 100: the same as in a list.
    found.push(`${id} "${clipText(subject, 100)}"`);
  }
  return found;
}

/** Empty if there is no such file. */
async function readText(fs: Files, path: string): Promise<string> {
  try {
    return await fs.readFile(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return '';
    throw error;
  }
}
