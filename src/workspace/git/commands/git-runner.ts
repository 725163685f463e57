// Runs git commands by name, for code of cells. It is a file of its own beside the tool worker's
// (see load-git.ts), loaded with the first command.
import {
  gitCommands,
  type GitCommandShape,
  type GitValue,
} from '../../../core/git/git-commands.ts';
import { SdkError } from '../../../core/errors.ts';
import { gitSteps, type DoomedWorktree, type WantedWorktree } from '../../../core/git/git-steps.ts';
import type { RunGitOptions } from '../../../core/tool/handler.ts';
import { isRecord } from '../../../core/values/is-record.ts';
import { createGit, type CreateGitOptions, type Git } from './create-git.ts';
import { runInRepository, type GitView, type Repository } from '../repository.ts';
import { enterWorktree, leaveWorktree } from './session-worktrees.ts';

/** Git over one call's files. */
export interface GitRunner {
  /**
   * Resolves to the command's result. Rejects as the command does, and with `invalid-input` for an
   * unknown command or wrong arguments. Security: both come from a guest.
   */
  run(command: string, args: readonly unknown[], options: RunGitOptions): Promise<unknown>;
}

/**
 * `hasSteps` is true if the agent itself asks, not a guest. Security: the steps don't validate
 * their arguments.
 */
export interface GitRunnerOptions extends CreateGitOptions {
  readonly hasSteps?: boolean;
}

type Step = (repository: Repository, wanted: unknown) => Promise<unknown>;

// The casts are safe: agent/session/files/worktrees.ts passes what the steps' types say.
const steps: ReadonlyMap<string, Step> = new Map<string, Step>([
  [gitSteps.enter, (its, wanted) => enterWorktree(its, wanted as WantedWorktree)],
  [gitSteps.leave, (its, wanted) => leaveWorktree(its, wanted as DoomedWorktree)],
]);

/** Creates a runner. Commands run one after the other on the view's draft. */
export function createGitRunner(view: GitView, options: GitRunnerOptions = {}): GitRunner {
  const { hasSteps, ...own } = options;
  const gits = new Map<string | undefined, Git>();
  const gitOf = (directory: string | undefined): Git => {
    const known = gits.get(directory);
    if (known) return known;
    const git = createGit(view, directory === undefined ? own : { ...own, directory });
    gits.set(directory, git);
    return git;
  };
  // Two names may mean one repository, so commands take their turns across all of them.
  let last: Promise<unknown> = Promise.resolve();
  return {
    async run(command, args, { signal, onProgress, directory }) {
      const step = hasSteps ? steps.get(command) : undefined;
      if (step) {
        const listeners = { signal, ...(onProgress && { onProgress }) };
        return runInRepository(view, own, listeners, (its) => step(its, args[0]));
      }
      const shape = gitCommands.get(command);
      if (!shape) throw invalid(`There is no command ${command.slice(0, 40)} in git here`);
      const checked = checkArguments(command, shape, args);
      const run = findCommand(gitOf(directory), command);
      const listeners = { signal, ...(onProgress && { onProgress }) };
      const result = last.then(() =>
        run(...checked.positional, { ...checked.options, ...listeners }),
      );
      last = result.catch(() => undefined);
      return result;
    },
  };
}

type Command = (...args: readonly unknown[]) => Promise<unknown>;

function findCommand(git: Git, command: string): Command {
  let found: unknown = git;
  for (const name of command.split('.')) found = (found as Record<string, unknown>)[name];
  return found as Command;
}

/** Puts undefined in place of omitted optional arguments, so that the options come last. */
function checkArguments(command: string, shape: GitCommandShape, args: readonly unknown[]) {
  const { takes, required } = shape;
  const given = [...args];
  const last = given.at(-1);
  const options = isRecord(last) ? last : {};
  if (last === options) given.pop();
  if (given.length < required || given.length > takes.length) {
    throw invalid(`git.${command} takes ${describeTakes(shape)}`);
  }
  const positional = takes.map((value, at) => {
    const argument = given[at];
    if (at >= required && (argument === undefined || argument === null)) return undefined;
    return checkValue(argument, value, `argument ${at + 1} of git.${command}`);
  });
  return { positional, options: checkOptions(command, shape, options) };
}

function checkOptions(
  command: string,
  { options: known }: GitCommandShape,
  options: Record<string, unknown>,
): Record<string, unknown> {
  const checked: Record<string, unknown> = {};
  for (const [name, option] of Object.entries(options)) {
    const value = Object.hasOwn(known, name) ? known[name] : undefined;
    if (value === undefined) {
      const names = Object.keys(known).join(', ') || 'none';
      throw invalid(`git.${command} has no option ${name.slice(0, 40)}; its options: ${names}`);
    }
    if (option === undefined || option === null) continue;
    checked[name] = checkValue(option, value, `${name} of git.${command}`);
  }
  return checked;
}

function checkValue(value: unknown, kind: GitValue, what: string): unknown {
  switch (kind) {
    case 'text':
      if (typeof value === 'string') return value;
      throw invalid(`${what} must be text`);
    case 'texts':
      if (typeof value === 'string') return value;
      if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
      throw invalid(`${what} must be text, or a list of texts`);
    case 'word':
      return value;
    case 'flag':
      if (typeof value === 'boolean') return value;
      throw invalid(`${what} must be true or false`);
    case 'count':
      if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
      throw invalid(`${what} must be a whole number from 0`);
    case 'person': {
      const { name, email } = isRecord(value) ? value : {};
      if (typeof name === 'string' && typeof email === 'string') return { name, email };
      throw invalid(`${what} must be { name, email }`);
    }
  }
}

function describeTakes({ takes, required, options }: GitCommandShape): string {
  const names = takes.map((kind, at) => (at < required ? kind : `${kind}?`));
  if (Object.keys(options).length > 0) names.push(`{ ${Object.keys(options).join(', ')} }`);
  return names.join(', ') || 'no arguments';
}

function invalid(message: string): SdkError {
  return new SdkError('invalid-input', `${message}.`);
}
