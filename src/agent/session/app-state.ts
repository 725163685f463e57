// The state that a host's tools share in a session. It is one plain object, kept as a state of the
// journal. createToolUseContext adds it to the tools' context.
import { SdkError } from '../../core/errors.ts';
import { isRecord } from '../../core/values/is-record.ts';
import { findUnstorable } from './plain-data.ts';
import type { AppState } from '../../core/tool/context.ts';
import { appState } from '../../core/session/session-states.ts';
import type { SessionStates } from '../../core/session/session-states.ts';

/** Empty if nothing was stored. The state of a moved session may have any value. */
export function getAppState(states: SessionStates): AppState {
  const state = states.get(appState);
  return isRecord(state) ? state : {};
}

/**
 * Stores the result of `update` for the present state. Simultaneous updates run one after the
 * other.
 * @throws SdkError `invalid-input` for a value that can't be stored; the message has its place.
 * Then nothing is stored.
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
    // A copy: later changes to the tool's object aren't recorded.
    return JSON.parse(JSON.stringify(next)) as unknown;
  });
}

function refusal(message: string): SdkError {
  return new SdkError('invalid-input', message);
}
