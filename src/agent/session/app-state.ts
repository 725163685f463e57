// What a host's tools keep together for the session: one plain object, a state of the journal. Tools get it with
// their context, by createToolUseContext.
import { SdkError } from '../../core/errors.ts';
import { isRecord } from '../../core/values/is-record.ts';
import { findUnstorable } from './plain-data.ts';
import type { AppState } from '../../core/tool/context.ts';
import { appState } from '../../core/session/session-states.ts';
import type { SessionStates } from '../../core/session/session-states.ts';

/** Empty where nothing was kept. A moved session may hold anything. */
export function getAppState(states: SessionStates): AppState {
  const state = states.get(appState);
  return isRecord(state) ? state : {};
}

/**
 * Keeps what `update` makes of the state as it is then: of two at once none is lost.
 *
 * @throws SdkError `invalid-input` for what can't be kept, with its place: nothing is kept then.
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
    // A copy: what the tool does to its own later isn't recorded.
    return JSON.parse(JSON.stringify(next)) as unknown;
  });
}

function refusal(message: string): SdkError {
  return new SdkError('invalid-input', message);
}
