// Stage 6 runs an allowed call, in a worker or on this thread, and returns an outcome. Only this
// file handles deadlines, aborts and progress. Called by run-call.ts when it is the call's turn.
import { createAbortError } from '../../core/async/abort.ts';
import type { RestOfCall } from '../../core/tool/background.ts';
import type { CallContext, ToolUseContext } from '../../core/tool/context.ts';
import { toSerializedError } from '../../core/errors.ts';
import type { WorkLimits } from '../../core/tool/handler.ts';
import type { AssistantMessage } from '../../core/messages/messages.ts';
import type { NestedCall, NestedReply } from '../../core/tool/nested-call.ts';
import type { CanUseTool } from '../../core/permissions/permission.ts';
import type {
  Clock,
  Executor,
  RunningWork,
  WorkListeners,
  WorkRequest,
} from '../../core/tool/ports.ts';
import type { ContextModifier } from '../../core/tool/tool.ts';
import type { CallWorktrees } from '../../core/session/session-worktrees.ts';
import type { HostAccess } from '../../core/access/host-access.ts';
import type { CallWeb } from '../../core/host-ports/web.ts';
import type { SocketPort } from '../../core/host-ports/socket-port.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { isAllowedCall } from './authorize.ts';
import type { AllowedCall } from './authorize.ts';
import { DEFAULT_TIMEOUT_MS, GRACE_MS, startCallDeadline } from './call-deadline.ts';
import type { Downloads } from '../session/files/downloads.ts';
import type { SessionRoot } from '../session/files/session-root.ts';
import type { MovingCall } from '../session/files/worktrees.ts';
import type { DispatchOutcome } from './dispatch-outcome.ts';
import { startPageCall } from './page-call.ts';

/** Running work, in a worker or on this thread. A worker's replies are outcomes. */
export interface Running extends Pick<RunningWork, 'interrupt' | 'isBehind' | 'kill'> {
  readonly reply: Promise<Extract<DispatchOutcome, { type: 'done' | 'failed' | 'lost' }>>;
  readonly discard?: () => void;
  readonly keep?: () => void;
}

/** The parts of the host that a call uses. */
export interface DispatchPorts {
  readonly executor: Executor;
  /** The key under which the executor keeps the tool's state for its next call. */
  readonly executorId: string;
  readonly clock: Clock;
  readonly workspace: Pick<Workspace, 'seq'>;
  /** The root that the call reads and writes. */
  readonly root: SessionRoot;
  readonly limits: Omit<WorkLimits, 'timeoutMs'>;
  readonly downloads: Downloads;
  /** Left out: the host has no sockets for calls. */
  readonly sockets?: SocketPort | undefined;
  /** Gives a tool's own `call` access to work trees. */
  readonly lendWorktrees: (call: MovingCall) => Promise<CallWorktrees>;
  /**
   * Gives the call access to the web, within its network rules. Left out: the host reads no pages.
   */
  readonly openWeb?: ((access: HostAccess | undefined) => Promise<CallWeb>) | undefined;
}

/** The options of one call. A tool's own `call` gets most of them. */
export interface DispatchOptions {
  /** The call's own context. Aborting its controller stops the call. */
  readonly context: ToolUseContext;
  readonly canUseTool: CanUseTool;
  readonly parentMessage: AssistantMessage;
  /** Not called any more once the outcome is decided. */
  readonly onProgress: (progress: unknown) => void;
  /** The context modifiers of earlier calls of the turn, to which this call's modifier is added. */
  readonly contextModifiers?: ContextModifier[];
  /** The call that makes this one, if it is nested. */
  readonly outerCallId?: string;
  /** The tools that the call's own code may call, if any. */
  readonly nested?: NestedCalls;
  /** The call runs on a copy of its tool's kept values; see {@link WorkRequest}. */
  readonly isBackground?: true;
  /** The rest of the call, which runs instead of the tool's `call`. */
  readonly rest?: RestOfCall;
  /** See {@link CallContext}. */
  readonly goOnInBackground?: CallContext['goOnInBackground'];
  /** The call began before its page was closed. */
  readonly isResumed?: boolean;
  /** The values that are journalled; see {@link WorkRequest}. */
  readonly recorded?: Pick<WorkRequest, 'recordState' | 'seed' | 'time'>;
  /** See {@link WorkListeners}. */
  readonly onWorker: (worker: string) => void;
}

/** How a call's own code calls tools. */
export interface NestedCalls {
  readonly tools: readonly string[];
  /**
   * Runs a call. Never rejects. The outer call's deadline is paused meanwhile. `signal` is aborted
   * when the outer call is stopped or has ended.
   */
  run(call: NestedCall, signal: AbortSignal): Promise<NestedReply>;
}

/**
 * Runs the call. Never rejects. A stopped call is first asked to stop, then terminated after a
 * grace period. Its outcome is the stop, even if its work is completed meanwhile. There are two
 * exceptions. A call that keeps its own time may report within the grace period that its time was
 * over. A call that keeps its partial result may return that when it is stopped.
 *
 * @throws TypeError for a call that `authorize` hasn't created, which is a programming error
 */
export function dispatch(
  call: AllowedCall,
  ports: DispatchPorts,
  options: DispatchOptions,
): Promise<DispatchOutcome> {
  if (!isAllowedCall(call))
    throw new TypeError('Only what authorize() returned can be dispatched.');
  const { signal } = options.context.abortController;
  if (signal.aborted) return Promise.resolve({ type: 'aborted' });
  const timeoutMs = readTimeout(call);
  const isInWorker = call.tool.runsIn === 'worker';
  const keepsOwnTime = isInWorker && call.tool.keepsOwnTime === true;

  return new Promise((resolve) => {
    let cut: DispatchOutcome | undefined;
    let isSettled = false;
    const timers: Disposable[] = [];
    const { nested } = options;
    /** Aborts the nested calls. Created with the first of them, because most calls make none. */
    let nestedCalls: AbortController | undefined;
    /** Why no nested call may continue. */
    let nestedEnd: string | undefined;
    const endNested = (reason: string) => {
      nestedEnd ??= reason;
      nestedCalls?.abort(createAbortError(nestedEnd));
    };
    const toNestedSignal = () => {
      nestedCalls ??= new AbortController();
      if (nestedEnd !== undefined) endNested(nestedEnd);
      return nestedCalls.signal;
    };

    const settle = (outcome: DispatchOutcome) => {
      if (isSettled) return;
      isSettled = true;
      endNested('The call that made this one is over.');
      for (const timer of timers) timer[Symbol.dispose]();
      signal.removeEventListener('abort', abort);
      resolve(outcome);
    };
    const stop = (outcome: DispatchOutcome, reason: string, graceMs = GRACE_MS) => {
      if (cut || isSettled) return;
      cut = outcome;
      endNested(reason);
      const kill = () => {
        // Settled before the kill, so that no consequence of the kill comes first.
        settle(outcome);
        work.kill(reason);
      };
      timers.push(ports.clock.after(graceMs, kill));
      work.interrupt(reason);
    };
    const abort = () => stop({ type: 'aborted' }, 'The turn was stopped.');

    const deadline = startCallDeadline({
      clock: ports.clock,
      timeoutMs,
      keepsOwnTime,
      isBehind: () => work.isBehind(),
      onExpiry({ type, limitMs, graceMs }) {
        if (type === 'timed-out') {
          stop({ type, timeoutMs }, `It took longer than ${limitMs} ms.`, graceMs);
        } else {
          stop({ type, waitedMs: limitMs }, `It had not begun after ${limitMs} ms.`, graceMs);
        }
      },
    });
    timers.push(deadline);
    const work = start(call, timeoutMs, ports, options, {
      onProgress: (progress) => {
        if (!isSettled && !cut) options.onProgress(progress);
      },
      onClockStart: () => deadline.startClock(),
      pause: () => deadline.pause(),
      onDownload: () => ports.downloads.note(ports.downloads.now()),
      onWorker: options.onWorker,
      onNestedCall:
        nested &&
        (async (asked) => {
          // The time that a person takes to answer doesn't count for the call.
          const resume = deadline.pause();
          try {
            return await nested.run(asked, toNestedSignal());
          } finally {
            resume();
          }
        }),
    });
    // The tool's own `call` has already run its first part, and may have stopped the turn.
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    work.reply.then(
      (reply) => {
        const { discard, keep } = work;
        const mayEndItself =
          cut?.type === 'timed-out' ? keepsOwnTime : !isInWorker && call.tool.keepsPartialResult;
        const hasEndedItself = mayEndItself && reply.type === 'done';
        if (cut && !hasEndedItself) {
          // Its files are dropped with its reply, so the state that it has saved must be dropped
          // too.
          if (reply.type === 'done') discard?.();
          settle(cut);
        } else
          settle(
            reply.type === 'done'
              ? { ...reply, ...(discard && { discard }), ...(keep && { keep }) }
              : reply,
          );
      },
      // The port promises that a reply never rejects; if it does anyway, the call is lost.
      (error: unknown) => settle(cut ?? { type: 'lost', message: String(error) }),
    );
  });
}

interface Listeners extends WorkListeners {
  /** The call waits for a person: its time is paused until the returned function is called. */
  readonly pause: () => () => void;
  readonly onProgress: (progress: unknown) => void;
}

function start(
  call: AllowedCall,
  timeoutMs: number,
  ports: DispatchPorts,
  options: DispatchOptions,
  { onProgress, pause, ...listeners }: Listeners,
): Running {
  const { tool, input, toolUse } = call;
  const { context, outerCallId, nested, isBackground } = options;
  const { since: downloadedAt } = ports.downloads;
  if (tool.runsIn !== 'worker') {
    const { lendWorktrees, openWeb, sockets } = ports;
    const { fs, watch } = ports.root;
    return startPageCall(call, {
      ...options,
      ...listeners,
      pause,
      onProgress,
      fs,
      watch,
      sockets,
      lendWorktrees,
      openWeb,
    });
  }
  try {
    return ports.executor.start(
      {
        callId: toolUse.id,
        toolName: tool.name,
        input,
        sessionId: ports.executorId,
        // The call sees everything that is acknowledged by now, whichever call wrote it.
        address: { root: ports.root.id, minSeq: ports.workspace.seq() },
        access: call.access,
        cwd: context.cwd,
        limits: { ...ports.limits, timeoutMs },
        knownVersions: [...context.readFileState.entries()],
        ...(outerCallId !== undefined && { outerCallId }),
        ...(nested && { tools: nested.tools }),
        ...(call.network && { network: call.network }),
        ...(call.deniedGit.length > 0 && { deniedGit: call.deniedGit }),
        ...(downloadedAt !== undefined && { downloadedAt }),
        ...(isBackground && { isBackground }),
        ...(isStateless(call) && { isStateless: true }),
        ...options.recorded,
      },
      onProgress,
      listeners,
    );
  } catch (error) {
    // An input that can't be cloned, or a closed host.
    const reply = Promise.resolve({ type: 'failed', error: toSerializedError(error) } as const);
    const nothing = () => undefined;
    return { reply, interrupt: nothing, isBehind: () => false, kill: nothing };
  }
}

/**
 * True if the call uses no state. If the tool's `usesSessionState` throws, the call counts as using
 * state.
 */
function isStateless({ tool, input, traits }: AllowedCall): boolean {
  try {
    return traits.isConcurrencySafe && !tool.usesSessionState?.(input);
  } catch {
    return false;
  }
}

/** Uses the tool's own timeout if it is valid, at most a day. */
function readTimeout({ tool, input }: AllowedCall): number {
  try {
    const given = tool.getTimeoutMs?.(input) ?? DEFAULT_TIMEOUT_MS;
    return given > 0 ? Math.min(given, 24 * 60 * 60 * 1000) : DEFAULT_TIMEOUT_MS;
  } catch {
    return DEFAULT_TIMEOUT_MS;
  }
}
