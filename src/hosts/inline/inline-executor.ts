// Stage 7 on a single thread: the handler runs on the agent's thread. A call can be asked to
// stop, but can't be terminated. A killed call is abandoned, and its later effects are ignored.
import { createAbortError } from '../../core/async/abort.ts';
import { getOrMake } from '../../core/values/get-or-make.ts';
import { refuseNestedCalls } from '../../core/tool/nested-call.ts';
import type { Executor, WorkReply, WorkRequest } from '../../core/tool/ports.ts';
import type { SearchOptions } from '../../search/index/search-memory.ts';
import { SearchService } from '../../search/search-service.ts';
import type { ViewSource } from '../../workspace/draft/view.ts';
import type { HostGitSettings } from '../git-network.ts';
import { callKey, OpenCalls } from '../open-calls.ts';
import { assembleStates } from '../assemble-states.ts';
import { runHandler, savedStateKey } from '../run-handler.ts';
import type { WorkerToolEntry } from '../run-handler.ts';
import { createInlineRealm } from './inline-realm.ts';

/** What the calls on this thread need, as in a tool worker. */
export interface InlineExecutorPorts {
  readonly entries: readonly WorkerToolEntry[];
  readonly views: ViewSource;
  /** The memory limits of searches. */
  readonly search?: SearchOptions | undefined;
  loadWasm(): Promise<WebAssembly.Module>;
  /** Called with the computing time of handlers, measured by counts. */
  readonly onWork?: ((ms: number) => void) | undefined;
  readonly git?: HostGitSettings | undefined;
}

/** A realm and the calls that run in it. */
interface Home {
  readonly realm: ReturnType<typeof createInlineRealm>;
  readonly openCalls: OpenCalls;
  readonly savedStates: Map<string, Uint8Array>;
  /** The calls that haven't replied, in the order of their start. */
  readonly open: Set<(reason: string) => void>;
  running: number;
  isRetired: boolean;
}

/** Dispose it to drop the values that handlers keep between calls. Open calls reply `lost`. */
export function createInlineExecutor(ports: InlineExecutorPorts): Executor & Disposable {
  const search = new SearchService(ports.search);
  const states = new Map<string, Uint8Array>();
  /** The keys under which tools keep values, by session. */
  const stateKeys = new Map<string, Set<string>>();
  const kills = new Set<(reason: string) => void>();
  /** The realms of background calls, where their nested calls run too. */
  const backgroundHomes = new Map<string, Home>();
  let home = settleIn(states);

  function settleIn(savedStates: Home['savedStates']): Home {
    return {
      realm: createInlineRealm(ports.loadWasm, ports.onWork),
      openCalls: new OpenCalls(),
      savedStates,
      open: new Set(),
      running: 0,
      isRetired: false,
    };
  }

  // An abandoned call may still use the realm's kept values, such as a VM in the middle of a cell.
  // So later calls get a new realm, as they would get a new worker.
  function retire(old: Home): void {
    old.isRetired = true;
    if (home === old) home = settleIn(states);
    if (old.running === 0) old.realm[Symbol.dispose]();
  }

  function findHome({ sessionId, callId, outerCallId, isBackground }: WorkRequest): Home {
    if (!isBackground) return backgroundHomes.get(callKey(sessionId, outerCallId ?? '')) ?? home;
    // A copy that ends with the call.
    const own = settleIn(new Map(states));
    own.isRetired = true;
    backgroundHomes.set(callKey(sessionId, callId), own);
    return own;
  }

  return {
    start(request, onProgress, listeners = {}) {
      const {
        onNestedCall = refuseNestedCalls,
        onClockStart = () => {},
        onDownload = () => {},
      } = listeners;
      const own = findHome(request);
      const stateKey = savedStateKey(request);
      getOrMake(stateKeys, request.sessionId, () => new Set()).add(stateKey);
      const { savedStates } = own;
      const stateBefore = savedStates.get(stateKey);
      let hasSaved = false;
      own.running += 1;
      const controller = new AbortController();
      let isOver = false;
      let hasClockStarted = false;
      let end: (reply: WorkReply) => void = () => undefined;
      const reply = new Promise<WorkReply>((resolve) => {
        end = (settled) => {
          isOver = true;
          kills.delete(kill);
          own.open.delete(kill);
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
      own.open.add(kill);

      const work = runHandler(
        request,
        {
          entries: ports.entries,
          views: ports.views,
          search,
          realm: own.realm,
          git: ports.git,
          savedStates: {
            get: (key) => savedStates.get(key),
            set: (key, state) => {
              // States that an abandoned call saves don't affect later calls.
              if (isOver) return;
              hasSaved = true;
              savedStates.set(key, state);
            },
          },
          openCalls: own.openCalls,
        },
        {
          onNestedCall,
          // On one thread no call is ever repeated.
          onEffect: () => undefined,
          onClockStart: () => {
            if (!hasClockStarted) onClockStart();
            hasClockStarted = true;
          },
          onDownload,
          signal: controller.signal,
          onProgress: (progress) => {
            if (!isOver) onProgress(progress);
          },
        },
      );
      void work.then((settled) => {
        own.running -= 1;
        if (request.isBackground)
          backgroundHomes.delete(callKey(request.sessionId, request.callId));
        if (own.isRetired && own.running === 0) own.realm[Symbol.dispose]();
        if (isOver) return;
        // The call had saved its state before it was told to stop.
        if (settled.type === 'failed' && hasSaved) discard();
        end(settled);
      });
      // Undoes the call's effect on kept values: the VM is dropped, and the next call restores the
      // state saved before.
      const discard = () => {
        // The call runs on a copy of the state, because other calls may run concurrently.
        if (request.isStateless) return;
        own.realm.drop(stateKey);
        if (stateBefore) savedStates.set(stateKey, stateBefore);
        else savedStates.delete(stateKey);
      };
      const isFirst = () => own.open.values().next().value === kill;
      const isBehind = () => request.outerCallId === undefined && !isFirst();
      return { reply, interrupt, isBehind, kill, discard };
    },
    endSession(sessionId) {
      for (const key of stateKeys.get(sessionId) ?? []) {
        states.delete(key);
        home.realm.drop(key);
      }
      stateKeys.delete(sessionId);
    },
    async restoreStates(sessionId, chains) {
      const restored = await assembleStates(sessionId, chains);
      const keys = getOrMake(stateKeys, sessionId, () => new Set());
      for (const key of restored.keys()) keys.add(key);
      for (const key of keys) {
        const state = restored.get(key);
        if (state) states.set(key, state);
        else states.delete(key);
        home.realm.drop(key);
      }
    },
    [Symbol.dispose]() {
      // Iterates over a copy, because each kill removes itself from the set.
      for (const kill of [...kills]) kill('The host was closed.');
      retire(home);
    },
  };
}
