// The git commands for people, the same on every host. The code that runs them is loaded with the
// first command.
import { gitCommands } from '../core/git/git-commands.ts';
import { resolvePath } from '../core/path.ts';
import type { Executor } from '../core/tool/ports.ts';
import type { Git } from '../workspace/git/commands/create-git.ts';
import type { CommitOptions, Workspace } from '../workspace/workspace.ts';

/** The functions of the host that git needs. */
export interface HostGitPorts {
  readonly executor: Executor;
  readonly workspace: Workspace;
  readonly cwd: string;
  /** Commits `packedChanges` of a reply. Left out: replies have none. */
  readonly commitPacked?: (
    packed: Uint8Array<ArrayBuffer>,
    options: CommitOptions,
  ) => Promise<unknown>;
}

/** A person's git on a host. */
export interface HostGit extends Git {
  /**
   * The same commands for the repository of another directory, such as a clone or a work tree. A
   * relative path begins at the host's working directory. All commands of a host take their turns
   * together.
   */
  at(directory: string): Git;
}

/**
 * Git for the repository of the working directory. Each command runs where the host's calls run, on
 * a draft, and is committed as a whole. Commands run one after the other, with two exceptions. A
 * reading command doesn't wait for one that uses the network, and sees the state before it. No
 * command waits for a clone. Commands reject with git's errors. They reject with `ECONFLICT` if
 * another writer has changed the same branch or file; then nothing is committed. They also reject
 * with `worker-lost`, and with `bad-usage` if the host is closed. An abort rejects at once.
 */
export function createHostGit(ports: HostGitPorts): HostGit {
  // Commands run one after the other, so each sees the commits of the earlier ones.
  let last: Promise<unknown> = Promise.resolve();
  /** The last command that uses no network. */
  let lastLocal = last;
  const makeGit = (cwd: string): Git => {
    const git: Record<string, unknown> = {};
    for (const [name, { effect }] of gitCommands) {
      const run = (...args: unknown[]) => {
        const result = (effect === 'read' ? lastLocal : last).then(async () => {
          const { runHostCommand } = await import('./run-host-command.ts');
          return runHostCommand({ ...ports, cwd }, name, effect, args);
        });
        const settled = result.catch(() => undefined);
        if (effect !== 'network') lastLocal = settled;
        // A clone is slow and changes no existing file. It waits for earlier commands, and no command
        // waits for it.
        if (name !== 'clone') last = effect === 'read' ? Promise.all([last, settled]) : settled;
        return result;
      };
      const [group = '', member] = name.split('.');
      if (member === undefined) git[name] = run;
      else ((git[group] ??= {}) as Record<string, unknown>)[member] = run;
    }
    // The cast is safe: the table has every command of the type, which a test checks.
    return git as unknown as Git;
  };
  return {
    ...makeGit(ports.cwd),
    at: (directory) => makeGit(resolvePath(ports.cwd, directory)),
  };
}
