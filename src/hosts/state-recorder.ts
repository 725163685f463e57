// What a call saves, on its way to a journal: run-handler.ts records it where the call runs. The way back is
// assemble-states.ts.
import type { WorkRequest } from '../core/tool/ports.ts';
import { readLostState } from '../core/session/lost-state.ts';
import {
  encodeStateChange,
  type KeptState,
  type StateChange,
} from '../core/session/state-change.ts';

interface StateRecorder {
  /**
   * Called before the state goes to its host, which may move its bytes. `before`: what the call found;
   * undefined: nothing.
   */
  note(before: Uint8Array | undefined, after: Uint8Array, kept: KeptState | undefined): void;
  /** The call has ended well. Undefined where it saved nothing. */
  finish(): Promise<StateChange | undefined>;
}

/** Undefined where nobody asks, or what the call saves is dropped. */
export function createStateRecorder({
  toolName,
  recordState,
  isStateless,
  isBackground,
}: WorkRequest): StateRecorder | undefined {
  if (!recordState || isStateless || isBackground) return undefined;
  let found: Uint8Array | undefined;
  let last: (() => Promise<StateChange>) | undefined;
  return {
    note(before, after, kept) {
      // To one that is lost nothing can be a difference.
      const isThere = before && readLostState(before) === undefined;
      if (!last && recordState === 'change' && isThere) found = before;
      const encoded = encodeStateChange(found, after);
      // Awaited below, if nothing is saved once more.
      encoded.catch(() => undefined);
      const { names = [], ports = [] } = kept ?? {};
      last = async () => ({
        toolName,
        ...(await encoded),
        kept: names.slice(0, maxNames),
        ...(ports.length > 0 && { ports: ports.slice(0, maxNames) }),
      });
    },
    finish: async () => last?.(),
  };
}

// What an entry of a journal can bear, and more than anyone would read.
const maxNames = 1000;
