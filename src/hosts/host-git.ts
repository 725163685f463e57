// A person's own git, as every host has it: its commands by their names. What runs one is loaded with the
// first of them.
import { gitCommands } from '../core/git/git-commands.ts';
import type { Executor } from '../core/tool/ports.ts';
import type { Git } from '../workspace/git/commands/create-git.ts';
import type { CommitOptions, Workspace } from '../workspace/workspace.ts';

/** What git needs of its host. */
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

/**
 * Git on the repository of the working directory. Each command runs where the host's calls do, on a draft, and is
 * committed whole. They run one after the other, with two exceptions. A command that reads doesn't wait for one that is
 * at a server, and sees the state before it. No command waits for a clone. A command rejects as
 * git's does. It rejects with `ECONFLICT` where somebody else was quicker on the same branch or
 * file, and then nothing of it is there. It also rejects with `worker-lost`, and with `bad-usage`
 * where the host is closed. An abort rejects at once.
 */
export function createHostGit(ports: HostGitPorts): Git {
  const git: Record<string, unknown> = {};
  // One after the other: the second sees what the first has committed.
  let last: Promise<unknown> = Promise.resolve();
  /** The last of those that reach no server. */
  let lastLocal = last;
  for (const [name, { effect }] of gitCommands) {
    const run = (...args: unknown[]) => {
      const result = (effect === 'read' ? lastLocal : last).then(async () => {
        const { runHostCommand } = await import('./run-host-command.ts');
        return runHostCommand(ports, name, effect, args);
      });
      const settled = result.catch(() => undefined);
      if (effect !== 'network') lastLocal = settled;
      // A clone takes long and touches nothing that is there: it waits for those before it, and nobody for it.
      if (name !== 'clone') last = effect === 'read' ? Promise.all([last, settled]) : settled;
      return result;
    };
    const [group = '', member] = name.split('.');
    if (member === undefined) git[name] = run;
    else ((git[group] ??= {}) as Record<string, unknown>)[member] = run;
  }
  // The cast: the table has each command of the type, and a test compares them.
  return git as unknown as Git;
}
