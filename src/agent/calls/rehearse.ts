// Finds out whether a call can do its work, and what it would change, before anybody is asked about it: it runs over
// a draft that is dropped. Nobody is asked about an edit that would fail, and the question shows the true diff.
// Called by authorize.ts, for tools that are rehearsed.
import type { FileChange } from '../../core/change-set.ts';
import type { PathAccess } from '../../core/access/path-access.ts';
import type { ToolUseContext } from '../../core/tool/context.ts';
import type { Clock, RunningWork, WorkReply } from '../../core/tool/ports.ts';
import { readFileChanges } from '../../core/tool/read-file-changes.ts';
import type { Tool } from '../../core/tool/tool.ts';
import type { Session } from '../session/session.ts';
import { DEFAULT_TIMEOUT_MS } from './call-deadline.ts';
import { maxChangesShown } from './describe-change-set.ts';
import { describeFailure } from './describe-failure.ts';
import type { ValidCall } from './validate.ts';

/** Undefined: the call wasn't rehearsed, or its rehearsal took too long. Never rejects. */
export type Rehearse = (
  call: ValidCall,
  access: PathAccess,
  context: ToolUseContext,
) => Promise<Rehearsal | undefined>;

/** How the call would end. */
export type Rehearsal =
  /** `failure`: in the words of its result. */
  | { readonly type: 'fails'; readonly failure: string }
  /** `changes`: empty where the tool doesn't list them. */
  | { readonly type: 'works'; readonly changes: readonly FileChange[] };

// 2 s: a worker that has to start answers within that time. After that the person is asked anyway.
const patienceMs = 2000;

/** Runs on the session's current files. */
export function createRehearse(session: RehearsalPorts): Rehearse {
  return async (call, access, context) => {
    const { signal } = context.abortController;
    if (!call.tool.isRehearsed || signal.aborted) return undefined;
    let work: RunningWork;
    try {
      work = start(call, access, context, session);
    } catch {
      // The input can't be cloned, or the host is closed. The call itself will report it.
      return undefined;
    }
    const reply = await waitFor(work, signal, session.host.clock);
    if (!reply) work.interrupt('Nobody waits for the rehearsal any more.');
    if (reply?.type === 'done') work.discard();
    return reply && toRehearsal(call.tool, reply);
  };
}

function toRehearsal(tool: Tool, reply: WorkReply): Rehearsal | undefined {
  if (reply.type === 'lost') return undefined;
  if (reply.type === 'failed') {
    return { type: 'fails', failure: describeFailure(tool.name, reply) };
  }
  return { type: 'works', changes: readFileChanges(tool, reply.output).slice(0, maxChangesShown) };
}

/** Undefined where the signal or the patience ends first. */
function waitFor(work: RunningWork, signal: AbortSignal, clock: Clock) {
  return new Promise<WorkReply | undefined>((resolve) => {
    const end = (reply?: WorkReply) => {
      patience[Symbol.dispose]();
      signal.removeEventListener('abort', giveUp);
      resolve(reply);
    };
    const giveUp = () => end();
    const patience = clock.after(patienceMs, giveUp);
    signal.addEventListener('abort', giveUp);
    work.reply.then(end, giveUp);
  });
}

type RehearsalPorts = Pick<Session, 'host' | 'root' | 'executorId' | 'limits'>;

function start(
  { tool, toolUse, input }: ValidCall,
  access: PathAccess,
  { cwd, readFileState }: ToolUseContext,
  { host: { executor, workspace }, root, executorId, limits }: RehearsalPorts,
): RunningWork {
  return executor.start(
    {
      callId: `${toolUse.id}/rehearsal`,
      toolName: tool.name,
      input,
      sessionId: executorId,
      address: { root: root.id, minSeq: workspace.seq() },
      access,
      cwd,
      limits: { ...limits, timeoutMs: DEFAULT_TIMEOUT_MS },
      knownVersions: [...readFileState.entries()],
      isStateless: true,
    },
    () => undefined,
  );
}
