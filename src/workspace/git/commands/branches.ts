// `git branch`, `switch` and `tag`.
import { SdkError } from '../../../core/errors.ts';
import { checkout } from '../checkout.ts';
import { readConfig, removeConfigSection, renameConfigSection, writeConfig } from '../config.ts';
import type { GitBranch, GitSwitchOptions, GitTag, Oid } from '../git.ts';
import { Commits, isAncestor } from '../history.ts';
import { parseTag, serializeTag } from '../object-codec.ts';
import { signMove, signNow } from '../people.ts';
import { checkRefName } from '../ref-names.ts';
import {
  branchName,
  deleteRef,
  listRefs,
  peel,
  readCommit,
  readHead,
  readRef,
  renameRef,
  resolveCommit,
  resolveRevision,
  writeHead,
  writeRef,
} from '../refs.ts';
import type { Repository } from '../repository.ts';
import { hasIndex, readStaged, writeStaged } from '../staged.ts';
import { diffTreeOids, emptyTree } from '../trees.ts';
import { cleanMessage, refuseConflicts } from './commit.ts';
import { forgetOperation, operationOf, resetFiles, unfinished } from './staging.ts';
import { worktreeOn } from './worktrees.ts';

/** `git branch --list`. */
export function listBranches(repository: Repository, remotes: boolean): GitBranch[] {
  const head = readHead(repository);
  const local = [...listRefs(repository, 'refs/heads/')].map(([ref, oid]) => ({
    name: branchName(ref) ?? ref,
    oid,
    isCurrent: ref === head.ref,
    isRemote: false,
  }));
  const unborn =
    head.ref !== null && head.oid === null
      ? [{ name: branchName(head.ref) ?? head.ref, oid: null, isCurrent: true, isRemote: false }]
      : [];
  const remote = remotes ? [...listRefs(repository, 'refs/remotes/')] : [];
  return [
    ...unborn,
    ...local,
    ...remote
      .filter(([ref]) => !ref.endsWith('/HEAD'))
      .map(([ref, oid]) => ({
        name: ref.slice('refs/remotes/'.length),
        oid,
        isCurrent: false,
        isRemote: true,
      })),
  ];
}

/** `git branch <name>`. */
export function createBranch(
  repository: Repository,
  name: string,
  { from = 'HEAD', force = false }: { readonly from?: string; readonly force?: boolean },
): Oid {
  checkRefName(name, 'branch');
  const ref = `refs/heads/${name}`;
  const isThere = readRef(repository, ref) !== undefined;
  if (isThere && !force) {
    throw new SdkError(
      'bad-usage',
      `There is a branch ${name} already. Take another name, or give \`force: true\`.`,
      {
        data: { name },
      },
    );
  }
  if (isThere) refuseUsed(repository, ref, 'be moved');
  const { oid } = resolveCommit(repository, from);
  writeRef(repository, ref, oid, {
    who: signMove(repository),
    why: `branch: ${isThere ? 'Reset to' : 'Created from'} ${from}`,
  });
  trackRemote(repository, name, from);
  return oid;
}

/** Makes a branch that starts at a remote branch track it. */
function trackRemote(repository: Repository, name: string, from: string): void {
  const slash = from.indexOf('/');
  const remote = from.slice(0, slash);
  if (slash <= 0 || readRef(repository, `refs/remotes/${from}`) === undefined) return;
  if (readConfig(repository, `remote.${remote}.url`) === undefined) return;
  writeConfig(repository, `branch.${name}.remote`, remote);
  writeConfig(repository, `branch.${name}.merge`, `refs/heads/${from.slice(slash + 1)}`);
}

/** `git branch --delete`. */
export function deleteBranch(repository: Repository, name: string, force: boolean): void {
  const ref = `refs/heads/${name}`;
  const oid = requireBranch(repository, name);
  refuseUsed(repository, ref, 'be deleted');
  const head = readHead(repository).oid;
  if (!force && (head === null || !isAncestor(new Commits(repository), oid, head))) {
    throw new SdkError(
      'bad-usage',
      `Branch ${name} has commits that HEAD doesn't have. Merge it first, or give \`force: true\` to lose them.`,
      { data: { name } },
    );
  }
  deleteRef(repository, ref);
  removeConfigSection(repository, `branch.${name}`);
}

/** `git branch --move`. */
export function renameBranch(repository: Repository, from: string, to: string): void {
  checkRefName(to, 'branch');
  const head = readHead(repository);
  const [old, fresh] = [`refs/heads/${from}`, `refs/heads/${to}`];
  if (readRef(repository, fresh) !== undefined) {
    throw new SdkError('bad-usage', `There is a branch ${to} already. Take another name.`, {
      data: { name: to },
    });
  }
  const other = worktreeOn(repository, old);
  if (other !== undefined && other !== repository.root) {
    throw new SdkError('bad-usage', `Branch ${from} is checked out in ${other}. Rename it there.`);
  }
  const move = { who: signMove(repository), why: `Branch: renamed ${old} to ${fresh}` };
  if (other !== undefined && head.ref !== old) throw unfinished('rebase');
  if (head.ref !== old || head.oid !== null) {
    const oid = requireBranch(repository, from);
    renameRef(repository, { oid, from: old, to: fresh }, move);
  }
  if (head.ref === old) writeHead(repository, { ref: fresh }, move);
  renameConfigSection(repository, `branch.${from}`, `branch.${to}`);
}

function requireBranch(repository: Repository, name: string): Oid {
  const oid = readRef(repository, `refs/heads/${name}`);
  if (oid !== undefined) return oid;
  throw new SdkError('invalid-input', `There is no branch ${name}.`, { data: { name } });
}

function refuseUsed(repository: Repository, ref: string, what: string): void {
  const path = worktreeOn(repository, ref);
  if (path === undefined) return;
  throw new SdkError(
    'bad-usage',
    `Branch ${branchName(ref)} is checked out in ${path}, so it can't ${what}. Switch that work tree to another one first.`,
    { data: { ref, path } },
  );
}

/** `git switch`. */
export async function switchTo(
  repository: Repository,
  name: string,
  options: GitSwitchOptions,
): Promise<void> {
  const { create = false, detach = false, discardChanges = false } = options;
  const operation = operationOf(repository);
  // A rebase has its own branch to return to.
  if (operation === 'rebase' || (operation !== null && !discardChanges))
    throw unfinished(operation);
  const head = readHead(repository);
  if (create && head.oid === null && options.from === undefined) {
    checkRefName(name, 'branch');
    writeHead(repository, { ref: `refs/heads/${name}` });
    return;
  }
  const target = findTarget(repository, name, options);
  if ('ref' in target) {
    const other = worktreeOn(repository, target.ref);
    if (other !== undefined && other !== repository.root) {
      throw new SdkError('bad-usage', `Branch ${name} is checked out in ${other}.`, {
        data: { path: other },
      });
    }
  }
  const { tree } = readCommit(repository, target.oid);
  const staged = readStaged(repository);
  if (discardChanges) {
    await resetFiles(repository, staged, tree);
    forgetOperation(repository);
  } else {
    refuseConflicts(repository, staged);
    // Without an index nothing was staged for deletion, as in a first checkout.
    const isFirst = head.oid === null || !hasIndex(repository);
    const before = isFirst ? emptyTree : readCommit(repository, head.oid).tree;
    const changes = diffTreeOids(repository, before, tree);
    const next = await checkout(repository, staged, changes, { command: 'switch' });
    if (repository.cache.treeOf(staged) === before) repository.cache.setTreeOf(next, tree);
    await writeStaged(repository, next);
  }
  const from = branchName(head.ref) ?? head.oid ?? '';
  const move = { who: signMove(repository), why: `checkout: moving from ${from} to ${name}` };
  if (create) createBranch(repository, name, { from: options.from ?? 'HEAD' });
  writeHead(repository, detach || !('ref' in target) ? { oid: target.oid } : target, move);
}

type Target = { readonly oid: Oid } | { readonly oid: Oid; readonly ref: string };

function findTarget(repository: Repository, name: string, options: GitSwitchOptions): Target {
  const { create = false, from = 'HEAD', detach = false } = options;
  if (create) {
    checkRefName(name, 'branch');
    if (readRef(repository, `refs/heads/${name}`) !== undefined) {
      throw new SdkError('bad-usage', `There is a branch ${name} already: leave out \`create\`.`);
    }
    return { oid: resolveCommit(repository, from).oid, ref: `refs/heads/${name}` };
  }
  if (detach) return { oid: resolveCommit(repository, name).oid };
  const ref = `refs/heads/${name}`;
  const oid = readRef(repository, ref);
  if (oid !== undefined) return { oid, ref };
  const remotes = [...listRefs(repository, 'refs/remotes/').keys()].filter(
    (remote) => remote.split('/').slice(3).join('/') === name,
  );
  const [remote] = remotes;
  if (remote !== undefined && remotes.length === 1) {
    const start = remote.slice('refs/remotes/'.length);
    return { oid: createBranch(repository, name, { from: start }), ref };
  }
  throw new SdkError(
    'invalid-input',
    `There is no branch ${name}. Give \`create: true\` to make it, or \`detach: true\` to stand on a commit or tag.`,
    { data: { name } },
  );
}

/** `git tag --list`. */
export function listTags(repository: Repository): GitTag[] {
  return [...listRefs(repository, 'refs/tags/')].map(([ref, oid]) => {
    const name = ref.slice('refs/tags/'.length);
    const object = repository.objects.read(oid);
    if (object.type !== 'tag') return { name, oid, target: oid };
    return { name, oid, target: peel(repository, oid), message: parseTag(object.bytes).message };
  });
}

/** `git tag <name>`. */
export function createTag(
  repository: Repository,
  name: string,
  options: { readonly ref?: string; readonly message?: string; readonly force?: boolean },
): void {
  checkRefName(name, 'tag');
  const ref = `refs/tags/${name}`;
  if (options.force !== true && readRef(repository, ref) !== undefined) {
    throw new SdkError(
      'bad-usage',
      `There is a tag ${name} already. Give \`force: true\` to move it.`,
      {
        data: { name },
      },
    );
  }
  const target = resolveRevision(repository, options.ref ?? 'HEAD');
  let oid = target;
  if (options.message !== undefined) {
    const { type } = repository.objects.read(target);
    const message = cleanMessage(options.message);
    const tag = { target, type, name, tagger: signNow(repository), message };
    oid = repository.objects.write('tag', serializeTag(tag));
  }
  writeRef(repository, ref, oid, { who: signMove(repository), why: 'tag' });
}

/** `git tag --delete`. */
export function deleteTag(repository: Repository, name: string): void {
  if (readRef(repository, `refs/tags/${name}`) === undefined) {
    throw new SdkError('invalid-input', `There is no tag ${name}.`, { data: { name } });
  }
  deleteRef(repository, `refs/tags/${name}`);
}
