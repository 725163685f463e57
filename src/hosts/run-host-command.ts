// Runs one command of a person's own git where the host's calls run, and commits its changes. It
// needs no permission, because a person runs it and not the agent. Loaded by host-git.ts.
import { defaultWorkLimits } from '../agent/session/session.ts';
import { throwIfAborted } from '../core/async/abort.ts';
import type { PathAccess } from '../core/access/path-access.ts';
import { fromSerializedError, SdkError } from '../core/errors.ts';
import type { GitEffect } from '../core/git/git-commands.ts';
import { isRecord } from '../core/values/is-record.ts';
import { toPlain } from '../core/values/to-plain.ts';
import { gitWorkName } from '../core/git/git-steps.ts';
import type { GitProgress } from '../workspace/git/git.ts';
import type { HostGitPorts } from './host-git.ts';
import { replyUntilAborted } from './reply-until-aborted.ts';

// The longest delay of a timer: the person aborts the command instead.
const noTimeoutMs = 2 ** 31 - 1;

let commands = 0;

/** See `createHostGit`. */
export async function runHostCommand(
  { executor, workspace, cwd, commitPacked }: HostGitPorts,
  command: string,
  effect: GitEffect,
  args: readonly unknown[],
): Promise<unknown> {
  const { given, signal, onProgress } = takeListeners(args);
  throwIfAborted(signal);
  const access: PathAccess = {
    cwd,
    roots: ['/'],
    readOnlyRoots: [],
    rules: [],
    write: effect === 'read' ? 'deny' : 'allow',
  };
  const work = executor.start(
    {
      callId: `git-${(commands += 1)}`,
      toolName: gitWorkName,
      input: { command, args: toPlain(given) },
      sessionId: gitWorkName,
      address: { root: 'main', minSeq: workspace.seq() },
      access,
      cwd,
      limits: { ...defaultWorkLimits, timeoutMs: noTimeoutMs },
      knownVersions: [],
      network: { hosts: [], isOpen: true },
      isStateless: true,
      ...(commitPacked && { packsChanges: true as const }),
      // A command that uses the network has its own worker, so tools don't wait for it.
      ...(effect === 'network' && { isBackground: true as const }),
    },
    (progress) => onProgress?.(progress as GitProgress),
    {},
  );
  const reply = await replyUntilAborted(work, signal, 'The git command was stopped.');
  if (reply.type === 'failed') throw fromSerializedError(reply.error);
  if (reply.type === 'lost') throw new SdkError('worker-lost', reply.message);
  const { changeSet, packedChanges, output } = reply;
  const options = { author: { kind: 'user' } } as const;
  if (packedChanges) await commitPacked?.(packedChanges, options);
  else if (changeSet) await workspace.commit(changeSet, options);
  return output;
}

interface Listeners {
  readonly given: readonly unknown[];
  readonly signal: AbortSignal | undefined;
  readonly onProgress: ((progress: GitProgress) => void) | undefined;
}

/** Signals and functions can't be sent to a worker. */
function takeListeners(args: readonly unknown[]): Listeners {
  const last = args.at(-1);
  if (!isRecord(last)) return { given: args, signal: undefined, onProgress: undefined };
  const { signal, onProgress, ...options } = last;
  return {
    given: [...args.slice(0, -1), options],
    signal: signal instanceof AbortSignal ? signal : undefined,
    onProgress: onProgress as Listeners['onProgress'],
  };
}
