// An executor for tests of the stages. Each call behaves as the test says, at times of the virtual clock. The
// executor records which calls ran at the same time.
import type { NestedCall, NestedReply } from '../../../src/core/tool/nested-call.ts';
import type {
  Clock,
  Executor,
  RunningWork,
  WorkListeners,
  WorkReply,
  WorkRequest,
} from '../../../src/core/tool/ports.ts';

/** When the handler starts its clock, in milliseconds from the start. It may start it several times. */
interface Begins {
  readonly beginsAt?: readonly number[];
}

/** The behaviour of one call. `hang` never replies, not even to a request to stop. */
export type Behaviour = Begins &
  (
    | { readonly type: 'reply'; readonly afterMs: number; readonly reply: WorkReply }
    | { readonly type: 'stubborn'; readonly afterMs: number; readonly reply: WorkReply }
    | { readonly type: 'reject'; readonly afterMs: number }
    | { readonly type: 'throw' }
    | { readonly type: 'hang' }
  );

export interface FakeExecutor extends Executor {
  /** Every request, in the order of starting. */
  readonly started: readonly WorkRequest[];
  /** The cuts of each call, in order: `interrupt` and `kill`. */
  readonly cuts: readonly (readonly [callId: string, cut: string])[];
  /** Calls whose changes weren't kept, in order. */
  readonly discarded: readonly string[];
  /** Pairs of calls that ran at the same time. */
  readonly overlaps: readonly (readonly [earlier: string, later: string])[];
  mostAtOnce(): number;
  /** Calls a tool as the work of this call would. */
  callTool(callId: string, call: NestedCall): Promise<NestedReply>;
  /** Pretends that another call runs before all later ones, until it is removed. */
  putBefore(callId: string): void;
  takeAway(callId: string): void;
  /** Calls without a reply that weren't killed. */
  running(): readonly string[];
}

export function createFakeExecutor(
  clock: Clock,
  behave: (request: WorkRequest) => Behaviour,
): FakeExecutor {
  const started: WorkRequest[] = [];
  const cuts: (readonly [string, string])[] = [];
  const discarded: string[] = [];
  const overlaps: (readonly [string, string])[] = [];
  const running = new Set<string>();
  const before = new Set<string>();
  const listenersOf = new Map<string, WorkListeners>();
  let most = 0;

  function start(
    request: WorkRequest,
    onProgress: (progress: unknown) => void,
    listeners: WorkListeners = {},
  ): RunningWork {
    const { callId } = request;
    const behaviour = behave(request);
    if (behaviour.type === 'throw') throw new Error('can not be cloned');
    started.push(request);
    overlaps.push(...[...running].map((earlier) => [earlier, callId] as const));
    running.add(callId);
    listenersOf.set(callId, listeners);
    most = Math.max(most, running.size);
    onProgress('started');
    for (const at of behaviour.beginsAt ?? []) clock.after(at, () => listeners.onClockStart?.());
    let end: (reply: WorkReply) => void = () => undefined;
    const reply = new Promise<WorkReply>((resolve, reject) => {
      const answer = () => {
        running.delete(callId);
        if (behaviour.type === 'reject') reject(new Error('port broken'));
        else if (behaviour.type !== 'hang') resolve(behaviour.reply);
        // This comes too late, and must have no effect.
        onProgress('after the end');
      };
      const timer = 'afterMs' in behaviour ? clock.after(behaviour.afterMs, answer) : undefined;
      end = (settled) => {
        running.delete(callId);
        timer?.[Symbol.dispose]();
        resolve(settled);
      };
    });
    return {
      reply,
      isBehind: () => before.size > 0,
      discard: () => void discarded.push(callId),
      interrupt: (reason) => {
        cuts.push([callId, 'interrupt']);
        if (behaviour.type === 'reply' || behaviour.type === 'reject') end(abortedReply(reason));
      },
      kill: (reason) => {
        cuts.push([callId, 'kill']);
        end({ type: 'lost', message: reason });
      },
    };
  }

  return {
    start,
    started,
    cuts,
    discarded,
    overlaps,
    async callTool(callId, call) {
      const onNestedCall = listenersOf.get(callId)?.onNestedCall;
      if (!onNestedCall) throw new Error(`${callId} may call no tools.`);
      return onNestedCall(call);
    },
    putBefore: (callId) => void before.add(callId),
    takeAway: (callId) => void before.delete(callId),
    mostAtOnce: () => most,
    running: () => [...running],
  };
}

export function doneReply(output: unknown): WorkReply {
  return { type: 'done', output, changeSet: null, reads: [] };
}

function abortedReply(message: string): WorkReply {
  const error = { name: 'SdkError', message, code: 'aborted', data: {} } as const;
  return { type: 'failed', error };
}
