// A session's states from what was journalled of them: the executors bring a session back with it. Inverse:
// state-recorder.ts.
import type { StateChain } from '../core/tool/ports.ts';
import { encodeLostState } from '../core/session/lost-state.ts';
import { applyStateChanges } from '../core/session/state-change.ts';
import { savedStateKey } from './run-handler.ts';

/** The states by key. Rejects with `invalid-input` where one of them can't be read. */
export async function assembleStates(
  sessionId: string,
  chains: readonly StateChain[],
): Promise<ReadonlyMap<string, Uint8Array>> {
  const states = chains.map(async ({ toolName, changes, lost }) => {
    const state = lost === undefined ? await applyStateChanges(changes) : encodeLostState(lost);
    return [savedStateKey({ sessionId, toolName }), state] as const;
  });
  return new Map(await Promise.all(states));
}
