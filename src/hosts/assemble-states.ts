// Rebuilds a session's saved tool states from its journal. Executors restore a session with them.
// Inverse: state-recorder.ts.
import type { StateChain } from '../core/tool/ports.ts';
import { encodeLostState } from '../core/session/lost-state.ts';
import { applyStateChanges } from '../core/session/state-change.ts';
import { savedStateKey } from './run-handler.ts';

/** Returns the states by key. Rejects with `invalid-input` if one of them can't be read. */
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
