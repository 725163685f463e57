// `git push` within a command's draft: one branch or tag to one server.
import { SdkError } from '../../../core/errors.ts';
import { readConfig, writeConfig } from '../config.ts';
import { signMove } from '../people.ts';
import { deleteRef, readRef, writeRef } from '../refs.ts';
import type { Repository } from '../repository.ts';
import { announce, shortName, tellPush, type PushPlan } from './errands.ts';
import { openRemote } from './fetch-remote.ts';
import { loadIsomorphicGit } from './load-isomorphic-git.ts';
import type { GitNetwork } from './network.ts';
import { toRemoteError } from './remote-error.ts';
import type { GitPushOptions, GitPushResult } from './remote-git.ts';
import { checkRefName } from '../ref-names.ts';
import { currentBranch, remoteUrl, upstreamOf } from './remotes.ts';

/** @throws SdkError `bad-usage`, and `invalid-input` for a ref that doesn't exist */
function planPush(repository: Repository, options: GitPushOptions): PushPlan {
  const name = options.ref ?? currentBranch(repository);
  if (name === undefined) {
    throw new SdkError(
      'bad-usage',
      'HEAD is on no branch. Say which branch or tag to push: `ref`.',
    );
  }
  checkRefName(name, 'ref');
  const candidates = [name, `refs/heads/${name}`, `refs/tags/${name}`];
  const local = candidates.find(
    (full) => full.startsWith('refs/') && readRef(repository, full) !== undefined,
  );
  const isDeletion = options.delete === true;
  if (local === undefined && !isDeletion) {
    throw new SdkError(
      'invalid-input',
      `There is no branch or tag ${name}, or it has no commit yet.`,
      {
        data: { ref: name },
      },
    );
  }
  const isTag = local?.startsWith('refs/tags/') === true;
  const branch = isTag ? undefined : name.replace(/^refs\/heads\//u, '');
  const upstream = upstreamOf(repository, branch);
  const remote =
    options.remote ??
    (branch === undefined ? undefined : readConfig(repository, `branch.${branch}.pushRemote`)) ??
    upstream.remote ??
    'origin';
  const followed = remote === upstream.remote ? upstream.ref : undefined;
  const ref = fullName(options.to ?? followed ?? local ?? name, isTag);
  checkRefName(ref, 'ref');
  const oid = isDeletion || local === undefined ? null : (readRef(repository, local) ?? null);
  return { remote, local, ref, oid };
}

function fullName(name: string, isTag: boolean): string {
  if (name.startsWith('refs/')) return name;
  return `refs/${isTag ? 'tags' : 'heads'}/${name}`;
}

/** `git push`. */
export async function pushRemote(
  repository: Repository,
  network: GitNetwork,
  options: GitPushOptions,
): Promise<GitPushResult> {
  const plan = planPush(repository, options);
  const { remote, local, ref, oid } = plan;
  const url = remoteUrl(repository, remote, true);
  const force = options.force === true;
  await announce(network, url, tellPush(repository, plan, { url, force }));
  const { host, http } = openRemote(repository, network, url, options);
  const before = (await http.list('git-receive-pack')).get(ref) ?? null;
  const result = { remote, ref, before, after: oid };
  if (before === oid) {
    noteTip(repository, plan);
    follow(repository, plan, options.setUpstream);
    return { ...result, message: '' };
  }
  try {
    const git = await loadIsomorphicGit();
    await git.push({
      fs: { promises: repository.files },
      http,
      gitdir: repository.commonDirectory,
      remote,
      url,
      // Empty, because a value in the config could redirect requests.
      corsProxy: '',
      // A deletion still needs the name of some ref, which isn't read.
      ref: local ?? ref,
      remoteRef: ref,
      force,
      delete: oid === null,
    });
  } catch (error) {
    throw toRemoteError(error, { host, ref: shortName(ref), said: http.said() });
  }
  follow(repository, plan, options.setUpstream);
  return { ...result, message: http.said() };
}

/**
 * The server already has the commit, for example after an interrupted push. Records that in the
 * remote-tracking branch.
 */
function noteTip(repository: Repository, { remote, ref, oid }: PushPlan): void {
  if (!ref.startsWith('refs/heads/')) return;
  const known = `refs/remotes/${remote}/${shortName(ref)}`;
  const seen = readRef(repository, known) ?? null;
  if (seen === oid) return;
  if (oid === null) deleteRef(repository, known);
  else writeRef(repository, known, oid, { who: signMove(repository), why: 'update by push' });
}

/** Makes the branch track the pushed one, if requested or if it tracks none. */
function follow(repository: Repository, plan: PushPlan, isWanted: boolean | undefined): void {
  const { remote, local, ref, oid } = plan;
  if (oid === null || !local?.startsWith('refs/heads/') || isWanted === false) return;
  const branch = shortName(local);
  if (isWanted !== true && upstreamOf(repository, branch).remote !== undefined) return;
  writeConfig(repository, `branch.${branch}.remote`, remote);
  writeConfig(repository, `branch.${branch}.merge`, ref);
}
