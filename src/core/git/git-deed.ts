// Describes what a git command did, in words for a question to a person: "commit 3 files on main: Fix it".
import { clipText } from '../text/clip-text.ts';
import { isRecord } from '../values/is-record.ts';

/** A git command that changed something. */
export interface GitDeed {
  /** Its name in core/git/git-commands.ts. */
  readonly command: string;
  /** For a person, in one line. */
  readonly told: string;
  /**
   * True if the command discards work: uncommitted changes, or commits that are on no branch any
   * more.
   */
  readonly isDestructive?: true | undefined;
}

// 100: one line of a question. Of a commit message only the first line is shown, which is git's convention for a
// summary.
const maxChars = 100;

/**
 * `args` and `result` are as the command had and gave them. They are unchecked, so nothing relies
 * on them. `directory` is the one that `git.at` was given.
 */
export function toGitDeed(
  command: string,
  args: readonly unknown[],
  result: unknown,
  directory?: string,
): GitDeed {
  // As git writes it: `git -C app commit …`.
  const where = directory === undefined ? '' : `-C ${directory} `;
  const line = `${where}${toLine(command, args, result)}`;
  const told = clipText(line.replace(/\s+/gu, ' '), maxChars);
  return { command, told, ...(throwsAway(command, args) && { isDestructive: true }) };
}

function throwsAway(command: string, args: readonly unknown[]): boolean {
  const last = args.at(-1);
  const { mode, worktree, discardChanges, force } = isRecord(last) ? last : {};
  switch (command) {
    case 'reset':
      return mode === 'hard';
    case 'restore':
      return worktree !== false;
    case 'switch':
      return discardChanges === true;
    case 'branch.create':
    case 'branch.delete':
    case 'worktree.remove':
      return force === true;
    default:
      return command === 'stash.drop';
  }
}

function toLine(command: string, args: readonly unknown[], result: unknown): string {
  const last = args.at(-1);
  const options = isRecord(last) ? last : {};
  const given = isRecord(result) ? result : {};
  if (command === 'commit') {
    const { files, branch, message } = given;
    const count = typeof files === 'number' ? `${countFiles(files)} ` : '';
    const where = typeof branch === 'string' ? `on ${branch}` : 'on no branch';
    const [subject = ''] = String(message ?? '').split('\n');
    return `commit ${count}${where}: ${subject}`;
  }
  if (command === 'clone') {
    const { files, bytes } = given;
    const size = typeof bytes === 'number' ? `, ${(bytes / 1_000_000).toFixed(1)} MB` : '';
    return `clone ${String(args[0])}: ${countFiles(files)}${size}`;
  }
  if (command === 'push') {
    const ref = String(given['ref']).replace(/^refs\/(?:heads|tags)\//u, '');
    return `push to ${String(given['remote'])}/${ref}`;
  }
  if (command === 'continue') {
    return options['skip'] === true ? 'skip a commit of the rebase' : 'continue the rebase';
  }
  const first = args[0];
  const what = Array.isArray(first) ? first.slice(0, 5).join(', ') : first;
  const named = typeof what === 'string' || typeof what === 'number' ? ` ${what}` : '';
  const mode = typeof options['mode'] === 'string' ? ` ${options['mode']}` : '';
  const to = typeof options['to'] === 'string' ? ` to ${options['to']}` : '';
  return `${command.replace('.', ' ')}${named}${mode}${to}`;
}

const countFiles = (files: unknown): string => `${String(files)} ${files === 1 ? 'file' : 'files'}`;
