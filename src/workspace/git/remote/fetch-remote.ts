// `git fetch` within a command's draft: requests a pack, stores it, and updates the remote-tracking
// branches. clone and pull begin with it.
import { SdkError } from '../../../core/errors.ts';
import { readConfig } from '../config.ts';
import type { GitRunOptions, Oid } from '../git.ts';
import { receivePack } from '../objects/receive-pack.ts';
import { listRefs, readRef } from '../refs.ts';
import type { Repository } from '../repository.ts';
import { announce } from './errands.ts';
import { GitHttp } from './http.ts';
import { loadIsomorphicGit } from './load-isomorphic-git.ts';
import type { GitNetwork } from './network.ts';
import { toRemoteError } from './remote-error.ts';
import type { GitFetchOptions, GitFetchResult, GitRefUpdate } from './remote-git.ts';
import { currentBranch, remoteUrl, upstreamOf } from './remotes.ts';

/** The depth by which git means all commits. */
const allCommits = 0x7fffffff;

/** The parameters of a fetch, with all defaults applied. */
export interface FetchRequest {
  readonly remote: string;
  /** The full name of one ref. Undefined for all branches. */
  readonly ref: string | undefined;
  readonly depth?: number | undefined;
  /** True if `depth` counts from the current end of the history. */
  readonly isRelative?: boolean;
  readonly tags?: boolean | undefined;
  readonly prune?: boolean | undefined;
}

/** One command's connection. Call `list` first, then `fetch`. */
export interface RemoteSession {
  readonly host: string;
  readonly http: GitHttp;
}

export function openRemote(
  repository: Pick<Repository, 'progress'>,
  network: GitNetwork,
  url: string,
  { signal }: GitRunOptions,
): RemoteSession {
  const progress = repository.progress.bind(repository);
  return { host: new URL(url).host, http: new GitHttp({ network, url, signal, progress }) };
}

/** `git fetch`. */
export async function fetchRemote(
  repository: Repository,
  network: GitNetwork,
  options: GitFetchOptions,
  /** The command of which this fetch is a part. */
  command: 'fetch' | 'pull' = 'fetch',
): Promise<GitFetchResult> {
  const branch = currentBranch(repository);
  const remote = options.remote ?? upstreamOf(repository, branch).remote ?? 'origin';
  const url = remoteUrl(repository, remote);
  const what = options.branch === undefined ? `from ${remote}` : `${remote}/${options.branch}`;
  await announce(network, url, { command, told: `${command} ${what} (${url})` });
  const session = openRemote(repository, network, url, options);
  const refs = await session.http.list('git-upload-pack');
  if (refs.size === 0) return { remote, updated: [], bytes: 0 };
  const ref =
    options.branch === undefined ? onlyBranch(repository, remote) : `refs/heads/${options.branch}`;
  if (ref !== undefined && !refs.has(ref)) throw noSuchRef(session.host, ref, refs);
  const { depth, isRelative } = depthOf(options);
  const { tags, prune } = options;
  return runFetch(repository, session, { remote, ref, depth, isRelative, tags, prune }, options);
}

function depthOf({ depth, deepen, full }: GitFetchOptions) {
  const given = [depth, deepen, full || undefined].filter((value) => value !== undefined);
  if (given.length > 1) {
    throw new SdkError('bad-usage', '`depth`, `deepen` and `full` say different things: give one.');
  }
  const commits = full ? allCommits : (depth ?? deepen);
  if (commits !== undefined) checkDepth(commits);
  return { depth: commits, isRelative: deepen !== undefined };
}

/** @throws SdkError `bad-usage` */
export function checkDepth(commits: number): void {
  if (Number.isInteger(commits) && commits >= 1 && commits <= allCommits) return;
  throw new SdkError('bad-usage', 'A depth is a whole number of commits, from 1 on.');
}

/** Returns the only branch that the remote's config fetches, or undefined for all. */
function onlyBranch(repository: Repository, remote: string): string | undefined {
  const spec = readConfig(repository, `remote.${remote}.fetch`);
  const [, ref] = /^\+?(refs\/heads\/[^*:]+):[^*]+$/u.exec(spec ?? '') ?? [];
  return ref;
}

/** Requests the pack and stores it. The server's refs must have been listed. */
export async function runFetch(
  repository: Repository,
  { host, http }: RemoteSession,
  { remote, ref, depth, isRelative = false, tags = false, prune = false }: FetchRequest,
  { signal }: GitRunOptions,
): Promise<GitFetchResult> {
  const { files, commonDirectory: gitdir, objects } = repository;
  const before = seenRefs(repository, remote);
  const short = ref?.replace(/^refs\/(?:heads|tags)\//u, '');
  const known = `refs/remotes/${remote}/${short}`;
  try {
    const git = await loadIsomorphicGit();
    await git.fetch({
      fs: { promises: files },
      http,
      gitdir,
      remote,
      url: http.url,
      // Empty, because a value in the config could redirect requests.
      corsProxy: '',
      // The ref that the server is told this repository has: with one branch, its last known state.
      ref: ref === undefined || readRef(repository, known) === undefined ? 'HEAD' : known,
      remoteRef: ref ?? firstRef(http),
      singleBranch: ref !== undefined,
      tags,
      prune,
      relative: isRelative,
      ...(depth !== undefined && { depth }),
    });
  } catch (error) {
    throw toRemoteError(error, { host, ref: short ?? remote, said: http.said() });
  }
  const pack = http.takePack();
  const received =
    pack &&
    (await receivePack(
      files.sync,
      { gitdir, pack, store: objects },
      {
        signal,
        onProgress: (done, total) => repository.progress({ phase: 'indexing', done, total }),
      },
    ));
  const updated = changedRefs(before, seenRefs(repository, remote));
  for (const { after } of updated) {
    if (after !== null && !objects.has(after)) throw incomplete(host, after);
  }
  return { remote, updated, bytes: received?.bytes ?? 0 };
}

function firstRef(http: GitHttp): string {
  const refs = http.refs;
  if (refs.has('HEAD')) return 'HEAD';
  return (
    [...refs.keys()].find((name) => name.startsWith('refs/heads/')) ?? [...refs.keys()][0] ?? 'HEAD'
  );
}

function seenRefs(repository: Repository, remote: string): Map<string, Oid> {
  const branches = listRefs(repository, `refs/remotes/${remote}/`);
  branches.delete(`refs/remotes/${remote}/HEAD`);
  return new Map([...branches, ...listRefs(repository, 'refs/tags/')]);
}

function changedRefs(before: Map<string, Oid>, after: Map<string, Oid>): GitRefUpdate[] {
  const names = [...new Set([...before.keys(), ...after.keys()])];
  return names
    .map((ref) => ({ ref, before: before.get(ref) ?? null, after: after.get(ref) ?? null }))
    .filter((update) => update.before !== update.after);
}

/** @throws always */
export function noSuchRef(host: string, ref: string, refs: ReadonlyMap<string, string>): SdkError {
  const branches = [...refs.keys()]
    .filter((name) => name.startsWith('refs/heads/'))
    .map((name) => name.slice('refs/heads/'.length));
  const some = branches.slice(0, 10).join(', ');
  const more = branches.length > 10 ? ` and ${branches.length - 10} more` : '';
  const name = ref.replace(/^refs\/heads\//u, '');
  return new SdkError(
    'invalid-input',
    `${host} has no branch ${name}. ${some === '' ? 'It has none.' : `It has ${some}${more}.`}`,
    { data: { host, ref } },
  );
}

/** @throws always */
export function incomplete(host: string, oid: Oid): SdkError {
  return new SdkError('EIO', `EIO: ${host} sent no object ${oid}, which it had named. Try again.`, {
    data: { host, oid },
  });
}
