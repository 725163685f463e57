// Describes to a person what a command is about to do at a server. The commands of remote/ call it
// before their first request.
import type { GitErrand } from '../../../core/git/git-errand.ts';
import type { Oid } from '../git.ts';
import { Commits, countAhead } from '../history.ts';
import { listRefs } from '../refs.ts';
import type { Repository } from '../repository.ts';
import type { GitNetwork } from './network.ts';

/** What a push would do, before anybody is asked. */
export interface PushPlan {
  readonly remote: string;
  /** The full name of the local ref. Undefined to delete a ref that doesn't exist locally. */
  readonly local: string | undefined;
  /** The full name on the server. */
  readonly ref: string;
  /** Null for a deletion. */
  readonly oid: Oid | null;
}

/**
 * Asks the host whether the command may continue, and rejects if not. Does nothing if the host
 * doesn't decide about it.
 */
export async function announce(
  { before }: GitNetwork,
  url: string,
  errand: Omit<GitErrand, 'host'>,
): Promise<void> {
  await before?.({ ...errand, host: new URL(url).host }, url);
}

/**
 * Describes a push. The number of commits is relative to the last known state of the server,
 * because no request was sent yet.
 */
export function tellPush(
  repository: Repository,
  { remote, local, ref, oid }: PushPlan,
  { url, force }: { readonly url: string; readonly force: boolean },
): Omit<GitErrand, 'host'> {
  const name = shortName(ref);
  const command = 'push';
  if (oid === null) {
    return { command, told: `delete ${name} of ${remote} (${url})`, isDestructive: true };
  }
  const what = local?.startsWith('refs/tags/')
    ? `the tag ${shortName(local)}`
    : tellCommits(repository, remote, oid);
  const told = `${force ? 'force-push' : 'push'} ${what} to ${remote}/${name} (${url})`;
  return { command, told, ...(force && { isDestructive: true as const }) };
}

// 1 000: a larger number tells a person nothing more.
const maxCommits = 1000;

function tellCommits(repository: Repository, remote: string, oid: Oid): string {
  const seen = [...listRefs(repository, `refs/remotes/${remote}/`).values()];
  const here = seen.filter((known) => repository.objects.has(known));
  const count = countAhead(new Commits(repository), oid, here, maxCommits);
  if (count === maxCommits) return `${maxCommits} commits or more`;
  return count === 1 ? '1 commit' : `${count} commits`;
}

/** Returns the name without `refs/heads/` or `refs/tags/`. */
export function shortName(ref: string): string {
  return ref.replace(/^refs\/(?:heads|tags)\//u, '');
}
