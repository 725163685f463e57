// Station 7 where there is one thread: the handler runs beside the agent. It can be asked to stop,
// but not be ended by force: a killed call is abandoned, and what it still does counts for nothing.
import { createAbortError } from '../../core/abort.ts';
import { refuseNestedCalls } from '../../core/nested-call.ts';
import type { Executor, WorkReply } from '../../core/ports.ts';
import type { ViewSource } from '../../workspace/view.ts';
import { OpenCalls } from '../open-calls.ts';
import { runHandler, savedStateKey } from '../run-handler.ts';
import type { WorkerToolEntry } from '../run-handler.ts';
import { createInlineRealm } from './inline-realm.ts';

/** What a tool worker has, on this thread. */
export interface InlineExecutorPorts {
  readonly entries: readonly WorkerToolEntry[];
  readonly views: ViewSource;
  loadWasm(): Promise<WebAssembly.Module>;
}

/** A realm and the calls that run in it. */
interface Home {
  readonly realm: ReturnType<typeof createInlineRealm>;
  readonly openCalls: OpenCalls;
  running: number;
  isRetired: boolean;
}

/** Dispose it to let go what handlers keep between calls. Replies still come as `lost`. */
export function createInlineExecutor(ports: InlineExecutorPorts): Executor & Disposable {
  const states = new Map<string, Uint8Array>();
  const kills = new Set<(reason: string) => void>();
  let home = settleIn();

  function settleIn(): Home {
    return {
      realm: createInlineRealm(ports.loadWasm),
      openCalls: new OpenCalls(),
      running: 0,
      isRetired: false,
    };
  }

  // An abandoned call may still be at work in what its realm keeps (a VM in mid-cell), so the next
  // calls get a fresh one, as they would get a fresh worker.
  function retire(old: Home): void {
    old.isRetired = true;
    if (home === old) home = settleIn();
    if (old.running === 0) old.realm[Symbol.dispose]();
  }

  return {
    start(request, onProgress, listeners = {}) {
      const { onNestedCall = refuseNestedCalls, onClockStart = () => {} } = listeners;
      const own = home;
      const stateKey = savedStateKey(request);
      const stateBefore = states.get(stateKey);
      own.running += 1;
      const controller = new AbortController();
      let isOver = false;
      let hasClockStarted = false;
      let end: (reply: WorkReply) => void = () => undefined;
      const reply = new Promise<WorkReply>((resolve) => {
        end = (settled) => {
          isOver = true;
          kills.delete(kill);
          resolve(settled);
        };
      });
      const interrupt = (reason: string) => controller.abort(createAbortError(reason));
      const kill = (message: string) => {
        if (isOver) return;
        interrupt(message);
        end({ type: 'lost', message });
        retire(own);
      };
      kills.add(kill);

      const work = runHandler(
        request,
        {
          entries: ports.entries,
          views: ports.views,
          realm: own.realm,
          savedStates: states,
          openCalls: own.openCalls,
        },
        {
          onNestedCall,
          // Nothing is ever run a second time here.
          onEffect: () => undefined,
          onClockStart: () => {
            if (!hasClockStarted) onClockStart();
            hasClockStarted = true;
          },
          signal: controller.signal,
          onProgress: (progress) => {
            if (!isOver) onProgress(progress);
          },
        },
      );
      void work.then((settled) => {
        own.running -= 1;
        if (own.isRetired && own.running === 0) own.realm[Symbol.dispose]();
        if (!isOver) end(settled);
      });
      // As if the call had never been: the VM goes, and the next call brings back what was saved before.
      const discard = () => {
        own.realm.drop(stateKey);
        if (stateBefore) states.set(stateKey, stateBefore);
        else states.delete(stateKey);
      };
      // In the order of their starting, and without those that are over.
      const isFirst = () => kills.values().next().value === kill;
      const isBehind = () => request.outerCallId === undefined && !isFirst();
      return { reply, interrupt, isBehind, kill, discard };
    },
    [Symbol.dispose]() {
      // A copy: each kill takes itself out of the set.
      for (const kill of [...kills]) kill('The host was closed.');
      retire(home);
    },
  };
}
