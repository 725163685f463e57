// The shared state of a host's tools in a session: one plain object, a state of the journal. Tools
// get it with their context, by createToolUseContext.
import { SdkError } from '../../core/errors.ts';
import { isRecord } from '../../core/values/is-record.ts';
import { findUnstorable } from './plain-data.ts';
import type { AppState } from '../../core/tool/context.ts';
import { appState } from '../../core/session/session-states.ts';
import type { SessionStates } from '../../core/session/session-states.ts';

/** Empty if nothing was kept. A moved session may hold anything. */
export function getAppState(states: SessionStates): AppState {
  const state = states.get(appState);
  return isRecord(state) ? state : {};
}

/**
 * Stores the state that `update` makes of the present one. Of two updates at once none is lost.
 * @throws SdkError `invalid-input` for a value that can't be kept, with its place. Nothing is kept
 * then.
 */
export async function setAppState(
  states: SessionStates,
  update: (state: AppState) => AppState,
): Promise<void> {
  if (typeof update !== 'function') {
    throw refusal(
      'setAppState takes a function: setAppState((state) => ({ ...state, count: 1 })).',
    );
  }
  await states.update(appState, () => {
    const next: unknown = update(getAppState(states));
    if (!isRecord(next)) throw refusal('What setAppState is to keep is no object. Return one.');
    const wrong = findUnstorable(next, 'state');
    if (wrong !== undefined) {
      throw refusal(
        `The app state can't be kept: ${wrong}. Keep objects, lists, texts, finite numbers, true, false and null.`,
      );
    }
    // A copy: a tool's later changes to its own object aren't recorded.
    return JSON.parse(JSON.stringify(next)) as unknown;
  });
}

function refusal(message: string): SdkError {
  return new SdkError('invalid-input', message);
}
