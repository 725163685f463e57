// Prepares the tools of a session's next request.
import type { MessageParam } from '../../core/messages/messages.ts';
import type { Model } from '../../model/model.ts';
import { preparePool } from '../registry/prepare-pool.ts';
import type { Pool } from '../registry/prepare-pool.ts';
import { toPoolContext } from './session.ts';
import type { Session } from './session.ts';

/** Default: the session's own model and conversation. Rejects like {@link preparePool}. */
export function prepareSessionPool(
  session: Session,
  given: { readonly model?: Model; readonly messages?: readonly MessageParam[] } = {},
): Promise<Pool> {
  return preparePool(toPoolContext(session), {
    mode: session.toolSearchMode,
    model: given.model ?? session.model,
    messages: given.messages ?? session.messages,
    params: session.toolParams,
    cwd: session.cwd,
  });
}
