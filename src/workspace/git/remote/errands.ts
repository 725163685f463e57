// What a command is about to do at a server, in words for a person. The commands of remote/ make one each
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
  /** The full name of this repository's ref; undefined to delete a ref that isn't here. */
  readonly local: string | undefined;
  /** On the server, the full name. */
  readonly ref: string;
  /** Null for a deletion. */
  readonly oid: Oid | null;
}

/** Asks the host whether the command may go on. Rejects as it refuses; asks nobody where it has no say. */
export async function announce(
  { before }: GitNetwork,
  url: string,
  errand: Omit<GitErrand, 'host'>,
): Promise<void> {
  await before?.({ ...errand, host: new URL(url).host }, url);
}

/** What is sent is counted by what was seen of the server last: nothing has been asked of it yet. */
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

// 1000: beyond that nobody reads the number for what it is.
const maxCommits = 1000;

function tellCommits(repository: Repository, remote: string, oid: Oid): string {
  const seen = [...listRefs(repository, `refs/remotes/${remote}/`).values()];
  const here = seen.filter((known) => repository.objects.has(known));
  const count = countAhead(new Commits(repository), oid, here, maxCommits);
  if (count === maxCommits) return `${maxCommits} commits or more`;
  return count === 1 ? '1 commit' : `${count} commits`;
}

/** Without `refs/heads/` or `refs/tags/`. */
export function shortName(ref: string): string {
  return ref.replace(/^refs\/(?:heads|tags)\//u, '');
}
