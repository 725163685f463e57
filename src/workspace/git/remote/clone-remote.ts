// `git clone` within a command's draft: a new repository, one fetch, and a checkout.
import { SdkError } from '../../../core/errors.ts';
import { basename, joinPath, resolvePath } from '../../../core/path.ts';
import { checkout } from '../checkout.ts';
import { writeConfig } from '../config.ts';
import type { Oid } from '../git.ts';
import { signMove } from '../people.ts';
import { peel, readCommit, writeHead, writeRef } from '../refs.ts';
import { openRepository, type GitRun, type Repository } from '../repository.ts';
import { readStaged, writeStaged } from '../staged.ts';
import { diffTreeOids, emptyTree } from '../trees.ts';
import { announce } from './errands.ts';
import { checkDepth, incomplete, noSuchRef, openRemote, runFetch } from './fetch-remote.ts';
import type { GitNetwork } from './network.ts';
import type { GitCloneOptions, GitCloneResult } from './remote-git.ts';
import { checkRemoteUrl } from './remote-url.ts';
import { addRemote } from './remotes.ts';

const remote = 'origin';

/** @throws SdkError `bad-usage` if the directory isn't empty */
export async function cloneRemote(
  run: GitRun & { init(run: GitRun, branch: string): Promise<unknown> },
  network: GitNetwork,
  address: string,
  options: GitCloneOptions,
): Promise<GitCloneResult> {
  const { depth = 1, full = false } = options;
  checkDepth(depth);
  const url = checkRemoteUrl(address);
  const directory = chooseDirectory(run, url, options.directory);
  await announce(network, url, { command: 'clone', told: `clone ${url} into ${directory}` });
  const session = openRemote(run, network, url, options);
  const refs = await session.http.list('git-upload-pack');
  const ref = chooseRef(session.http.head, session.host, refs, options.branch);
  const branch = ref?.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : null;
  const inside = { ...run, directory };
  await run.init(inside, branch ?? 'main');
  const repository = openRepository(inside);
  addRemote(repository, remote, url, full || branch === null ? undefined : branch);
  const oid = ref === undefined ? undefined : refs.get(ref);
  if (ref === undefined || oid === undefined) {
    return { directory, branch, head: null, files: 0, bytes: 0 };
  }
  const { bytes } = await runFetch(
    repository,
    session,
    full ? { remote, ref: undefined, tags: true } : { remote, ref, depth },
    options,
  );
  if (!repository.objects.has(oid)) throw incomplete(session.host, oid);
  const head = standOn(repository, { ref, oid, branch });
  const files = await writeFiles(repository, head);
  return { directory, branch, head, files, bytes };
}

function chooseDirectory(run: GitRun, url: string, given: string | undefined): string {
  const name = decodeURIComponent(basename(new URL(url).pathname)).replace(/\.git$/u, '');
  if (
    given === undefined &&
    (name === '' || name === '.' || name === '..' || /[/\\\0]/u.test(name))
  ) {
    throw new SdkError('bad-usage', 'The address ends in no name. Say `directory` to clone to.');
  }
  const directory =
    given === undefined ? joinPath(run.directory, name) : resolvePath(run.directory, given);
  const { sync } = run.files;
  if (!sync.existsSync(directory)) return directory;
  if (!sync.statSync(directory).isDirectory() || sync.readdirSync(directory).length > 0) {
    throw new SdkError(
      'bad-usage',
      `${directory} is there already and isn't empty. Give another \`directory\`.`,
      { data: { path: directory } },
    );
  }
  return sync.realpathSync(directory);
}

/** Returns the full name of the ref to clone, or undefined for a repository without commits. */
function chooseRef(
  head: string | undefined,
  host: string,
  refs: ReadonlyMap<string, string>,
  wanted: string | undefined,
): string | undefined {
  if (wanted !== undefined) {
    const found = [`refs/heads/${wanted}`, `refs/tags/${wanted}`].find((name) => refs.has(name));
    if (found === undefined) throw noSuchRef(host, wanted, refs);
    return found;
  }
  if (head !== undefined && refs.has(head)) return head;
  // The server doesn't tell HEAD's branch, or that branch doesn't exist.
  const branches = [...refs.keys()].filter((name) => name.startsWith('refs/heads/'));
  const same = branches.find((name) => refs.get(name) === refs.get('HEAD'));
  return same ?? branches[0];
}

/** Sets HEAD to the branch, or to a tag's commit. */
function standOn(
  repository: Repository,
  { ref, oid, branch }: { readonly ref: string; readonly oid: Oid; readonly branch: string | null },
): Oid {
  const move = { who: signMove(repository), why: `clone: from ${remote}` };
  const commit = peel(repository, oid);
  if (branch === null) {
    writeRef(repository, ref, oid, move);
    writeHead(repository, { oid: commit }, move);
    return commit;
  }
  writeConfig(repository, `branch.${branch}.remote`, remote);
  writeConfig(repository, `branch.${branch}.merge`, ref);
  writeRef(repository, ref, commit, move);
  writeHead(repository, { ref });
  return commit;
}

async function writeFiles(repository: Repository, head: Oid): Promise<number> {
  const { tree } = readCommit(repository, head);
  const changes = diffTreeOids(repository, emptyTree, tree);
  const staged = await checkout(repository, readStaged(repository), changes, {
    command: 'clone',
    overwrites: true,
  });
  await writeStaged(repository, staged);
  return changes.length;
}
