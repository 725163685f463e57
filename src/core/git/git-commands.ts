// The git commands that a cell's code may call, by name: the effect and the arguments of each.
// Rules, the classification of cells, the guest's `git` and the worker that runs a command all use
// this table.
import { matchesWildcard } from '../permissions/match-wildcard.ts';

/** `network`: it also reaches a server. */
export type GitEffect = 'read' | 'write' | 'network';

/** The type of an argument or an option. `word`: one of a few texts, which the command itself checks. */
export type GitValue = 'text' | 'texts' | 'word' | 'flag' | 'count' | 'person';

export interface GitCommandShape {
  readonly effect: GitEffect;
  /** The types of the arguments in their order. Arguments from index `required` on may be left out. */
  readonly takes: readonly GitValue[];
  readonly required: number;
  /** The types of the options. The options object is the last argument. */
  readonly options: Readonly<Record<string, GitValue>>;
}

/** The commands by name; `branch.create` for a member of a group. */
export const gitCommands: ReadonlyMap<string, GitCommandShape> = new Map<string, GitCommandShape>([
  ['init', shape('write', [], { branch: 'text' })],
  ['status', shape('read', [], { ignored: 'flag' })],
  ['add', shape('write', ['texts'], { force: 'flag', update: 'flag' })],
  ['restore', shape('write', ['texts'], { source: 'text', staged: 'flag', worktree: 'flag' })],
  ['reset', shape('write', [], { to: 'text', mode: 'word' })],
  [
    'commit',
    shape('write', [], {
      ...{ message: 'text', all: 'flag', amend: 'flag', allowEmpty: 'flag', author: 'person' },
      noVerify: 'flag',
    }),
  ],
  ['log', shape('read', [], { ref: 'text', all: 'flag', maxCount: 'count', paths: 'texts' })],
  ['show', shape('read', ['text'], {}, 0)],
  ['readFile', shape('read', ['text', 'text'], {})],
  ['diff', shape('read', [], { from: 'text', to: 'text', staged: 'flag', paths: 'texts' })],
  ['branch.list', shape('read', [], { remotes: 'flag' })],
  ['branch.create', shape('write', ['text'], { from: 'text', force: 'flag' })],
  ['branch.delete', shape('write', ['text'], { force: 'flag' })],
  ['branch.rename', shape('write', ['text', 'text'], {})],
  [
    'switch',
    shape('write', ['text'], {
      ...{ create: 'flag', from: 'text', detach: 'flag', discardChanges: 'flag' },
    }),
  ],
  ['merge', shape('write', ['text'], { fastForward: 'word', message: 'text' })],
  ['cherryPick', shape('write', ['text'], {})],
  ['revert', shape('write', ['text'], {})],
  ['rebase', shape('write', ['text'], { onto: 'text', noVerify: 'flag' })],
  ['continue', shape('write', [], { skip: 'flag' })],
  ['abort', shape('write', [], {})],
  ['stash.push', shape('write', [], { message: 'text', untracked: 'flag' })],
  ['stash.list', shape('read', [], {})],
  ['stash.apply', shape('write', ['count'], {}, 0)],
  ['stash.pop', shape('write', ['count'], {}, 0)],
  ['stash.drop', shape('write', ['count'], {}, 0)],
  ['tag.list', shape('read', [], {})],
  ['tag.create', shape('write', ['text'], { ref: 'text', message: 'text', force: 'flag' })],
  ['tag.delete', shape('write', ['text'], {})],
  ['worktree.add', shape('write', ['text'], { branch: 'text', from: 'text', detach: 'flag' })],
  ['worktree.list', shape('read', [], {})],
  ['worktree.remove', shape('write', ['text'], { force: 'flag' })],
  [
    'clone',
    shape('network', ['text'], { directory: 'text', branch: 'text', depth: 'count', full: 'flag' }),
  ],
  [
    'fetch',
    shape('network', [], {
      ...{ remote: 'text', branch: 'text', depth: 'count', deepen: 'count', full: 'flag' },
      ...{ tags: 'flag', prune: 'flag' },
    }),
  ],
  [
    'pull',
    shape('network', [], {
      ...{ remote: 'text', branch: 'text', fastForward: 'word', rebase: 'flag' },
      noVerify: 'flag',
    }),
  ],
  [
    'push',
    shape('network', [], {
      ...{ remote: 'text', ref: 'text', to: 'text', force: 'flag', delete: 'flag' },
      setUpstream: 'flag',
    }),
  ],
  ['remote.list', shape('read', [], {})],
  ['remote.add', shape('write', ['text', 'text'], {})],
  ['remote.remove', shape('write', ['text'], {})],
  ['remote.setUrl', shape('write', ['text', 'text'], {})],
]);

/** True if the name or pattern in a rule means this command. `branch` also means `branch.create`. */
export function meansGitCommand(pattern: string, command: string): boolean {
  return matchesWildcard(pattern, command) || command.startsWith(`${pattern}.`);
}

function shape(
  effect: GitEffect,
  takes: readonly GitValue[],
  options: Readonly<Record<string, GitValue>>,
  required = takes.length,
): GitCommandShape {
  return { effect, takes, required, options };
}
