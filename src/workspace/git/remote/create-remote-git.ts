// Creates the git commands that talk to servers. create-git.ts passes its way to run commands: one
// after the other, each on a draft of its own.
import { SdkError } from '../../../core/errors.ts';
import type {
  GitMergeOptions,
  GitMergeResult,
  GitRebaseOptions,
  GitRebaseResult,
  GitRunOptions,
} from '../git.ts';
import { checkFastForward } from '../check-word.ts';
import type { GitRun, Repository } from '../repository.ts';
import { cloneRemote } from './clone-remote.ts';
import { fetchRemote } from './fetch-remote.ts';
import type { GitNetwork } from './network.ts';
import { pushRemote } from './push-remote.ts';
import type { GitPullOptions, RemoteGit } from './remote-git.ts';
import {
  addRemote,
  currentBranch,
  listRemotes,
  removeRemote,
  setRemoteUrl,
  upstreamOf,
} from './remotes.ts';

/** Runs commands in order, and provides the local commands that are needed here. */
export interface CommandRunner {
  /** Runs a command without a repository. */
  alone<Result>(
    command: GitRunOptions,
    work: (run: GitRun) => Result | Promise<Result>,
  ): Promise<Result>;
  within<Result>(
    command: GitRunOptions,
    work: (repository: Repository) => Result | Promise<Result>,
  ): Promise<Result>;
  /** `git init` in the run's directory. */
  init(run: GitRun, branch: string): Promise<unknown>;
  merge(repository: Repository, ref: string, options: GitMergeOptions): Promise<GitMergeResult>;
  rebase(repository: Repository, ref: string, options: GitRebaseOptions): Promise<GitRebaseResult>;
}

/** `network` has the access to servers and the credentials. Undefined: no server can be reached. */
export function createRemoteGit(
  { alone, within, init, merge, rebase }: CommandRunner,
  network: GitNetwork | undefined,
): RemoteGit {
  return {
    clone: (url, command = {}) =>
      alone(command, async (run) =>
        cloneRemote({ ...run, init }, requireNetwork(network), url, command),
      ),
    fetch: (command = {}) =>
      within(command, (repository) => fetchRemote(repository, requireNetwork(network), command)),
    pull: (command = {}) =>
      within(command, async (repository) => {
        if (command.rebase && command.fastForward !== undefined) {
          throw new SdkError(
            'bad-usage',
            '`rebase` and `fastForward` say different things: give one.',
          );
        }
        checkFastForward('pull', command.fastForward ?? 'allow');
        const ref = await fetchUpstream(repository, requireNetwork(network), command);
        return command.rebase
          ? rebase(repository, ref, { noVerify: command.noVerify ?? false })
          : merge(repository, ref, command);
      }),
    push: (command = {}) =>
      within(command, (repository) => pushRemote(repository, requireNetwork(network), command)),
    remote: {
      list: () => within({}, listRemotes),
      add: (name, url) => within({}, (repository) => addRemote(repository, name, url)),
      remove: (name) => within({}, (repository) => removeRemote(repository, name)),
      setUrl: (name, url) => within({}, (repository) => setRemoteUrl(repository, name, url)),
    },
  };
}

function requireNetwork(network: GitNetwork | undefined): GitNetwork {
  if (network) return network;
  throw new SdkError(
    'unsupported-environment',
    'This host gives git no network. Set its `network`.',
  );
}

/** Fetches the branch to merge and returns its local name. */
async function fetchUpstream(
  repository: Repository,
  network: GitNetwork,
  options: GitPullOptions,
): Promise<string> {
  const current = currentBranch(repository);
  const upstream = upstreamOf(repository, current);
  const remote = options.remote ?? upstream.remote ?? 'origin';
  const branch = options.branch ?? upstream.ref?.replace(/^refs\/heads\//u, '') ?? current;
  if (branch === undefined) {
    throw new SdkError(
      'bad-usage',
      'HEAD is on no branch. Switch to one, or say which `branch` to pull.',
    );
  }
  await fetchRemote(repository, network, { ...options, remote, branch }, 'pull');
  return `${remote}/${branch}`;
}
