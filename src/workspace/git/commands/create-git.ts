// Creates the git object of a view. Commands run one after the other, each on a draft of its own.
// Hosts and the Repl call it.
import { checkOptionNames } from '../../../core/check-option-names.ts';
import type { GitRunOptions, LocalGit } from '../git.ts';
import { createRemoteGit, type CommandRunner } from '../remote/create-remote-git.ts';
import type { GitNetwork } from '../remote/network.ts';
import type { RemoteGit } from '../remote/remote-git.ts';
import {
  runGit,
  runInRepository,
  type GitOptions,
  type GitView,
  type Repository,
} from '../repository.ts';
import {
  createBranch,
  createTag,
  deleteBranch,
  deleteTag,
  listBranches,
  listTags,
  renameBranch,
  switchTo,
} from './branches.ts';
import { commit } from './commit.ts';
import { diff, log, readFileAt, show } from './inspecting.ts';
import { abort, cherryPick, merge, revert } from './merging.ts';
import { abortRebase, continueRebase, rebase } from './rebase.ts';
import { add, init, operationOf, reset, restore, status } from './staging.ts';
import { applyStash, dropStash, listStashes, popStash, pushStash } from './stash.ts';
import { addWorktree, listWorktrees, removeWorktree } from './worktrees.ts';

/** The whole interface of git. */
export interface Git extends LocalGit, RemoteGit {}

/** Options of a host, including how git reaches servers. Without `network` it can't. */
export interface CreateGitOptions extends GitOptions {
  readonly network?: GitNetwork;
}

/**
 * Creates git over the files of a view. Its changes stay in the view's draft until that is
 * committed.
 */
export function createGit(view: GitView, options: CreateGitOptions = {}): Git {
  checkOptionNames('createGit', options, knownOptions);
  let last: Promise<unknown> = Promise.resolve();
  // Runs commands one after the other, because concurrent ones would overwrite each other's index.
  const inTurn = <Result>(run: () => Promise<Result>): Promise<Result> => {
    const result = last.then(run);
    last = result.then(doNothing, doNothing);
    return result;
  };
  const run = <Result>(
    command: GitRunOptions | undefined,
    work: (repository: Repository) => Result | Promise<Result>,
  ): Promise<Result> =>
    inTurn(() =>
      runInRepository(view, options, command ?? {}, async (repository) => work(repository)),
    );
  const alone: CommandRunner['alone'] = (command, work) =>
    inTurn(() => runGit(view, options, command, async (its) => work(its)));
  return {
    ...createRemoteGit({ alone, within: run, init, merge, rebase }, options.network),
    init: ({ branch = 'main' } = {}) =>
      inTurn(() => runGit(view, options, {}, (its) => init(its, branch))),
    status: (command) => run(command, (its) => status(its, command?.ignored ?? false)),
    add: (paths, command = {}) => run(command, (its) => add(its, paths, command)),
    restore: (paths, command = {}) => run(command, (its) => restore(its, paths, command)),
    reset: (command = {}) => run(command, (its) => reset(its, command)),
    commit: (command = {}) => run(command, (its) => commit(its, command)),
    log: (command = {}) => run(command, (its) => log(its, command)),
    show: (ref = 'HEAD', command = {}) => run(command, (its) => show(its, ref)),
    readFile: (ref, path) => run({}, (its) => readFileAt(its, ref, path)),
    diff: (command = {}) => run(command, (its) => diff(its, command)),
    branch: {
      list: ({ remotes = false } = {}) => run({}, (its) => listBranches(its, remotes)),
      create: (name, command = {}) => run({}, (its) => void createBranch(its, name, command)),
      delete: (name, { force = false } = {}) => run({}, (its) => deleteBranch(its, name, force)),
      rename: (from, to) => run({}, (its) => renameBranch(its, from, to)),
    },
    switch: (name, command = {}) => run(command, (its) => switchTo(its, name, command)),
    merge: (ref, command = {}) => run(command, (its) => merge(its, ref, command)),
    cherryPick: (ref, command = {}) => run(command, (its) => cherryPick(its, ref)),
    revert: (ref, command = {}) => run(command, (its) => revert(its, ref)),
    rebase: (upstream, command = {}) => run(command, (its) => rebase(its, upstream, command)),
    continue: (command = {}) => run(command, (its) => continueRebase(its, command.skip ?? false)),
    abort: (command = {}) =>
      run(command, (its) => (operationOf(its) === 'rebase' ? abortRebase(its) : abort(its))),
    stash: {
      push: (command = {}) => run(command, (its) => pushStash(its, command)),
      list: () => run({}, (its) => listStashes(its)),
      apply: (index = 0, command = {}) => run(command, (its) => applyStash(its, index)),
      pop: (index = 0, command = {}) => run(command, (its) => popStash(its, index)),
      drop: (index = 0) => run({}, (its) => dropStash(its, index)),
    },
    tag: {
      list: () => run({}, (its) => listTags(its)),
      create: (name, command = {}) => run({}, (its) => createTag(its, name, command)),
      delete: (name) => run({}, (its) => deleteTag(its, name)),
    },
    worktree: {
      add: (path, command = {}) => run(command, (its) => addWorktree(its, path, command)),
      list: () => run({}, (its) => listWorktrees(its)),
      remove: (path, command = {}) =>
        run(command, (its) => removeWorktree(its, path, command.force ?? false)),
    },
  };
}

function doNothing(): void {}

const knownOptions = {
  network: true,
  directory: true,
  author: true,
  timezoneOffset: true,
} satisfies Record<keyof CreateGitOptions, true>;
