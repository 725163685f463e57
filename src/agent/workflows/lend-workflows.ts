// Loads the code of a session's workflows with the first call that needs it. Used by
// create-session.ts.
import { loadOnce } from '../../core/async/load-once.ts';
import type { Workflows } from '../../core/agents/workflows.ts';
import type { Session } from '../session/session.ts';
import type { DefinitionScope } from '../session/settings/definition-scopes.ts';

/** `session` is called with the first call. */
export function lendWorkflows(
  session: () => Session,
  scopes: readonly DefinitionScope[],
): Workflows {
  const load = loadOnce(async () => {
    const { createWorkflows } = await import('./create-workflows.ts');
    return createWorkflows(session(), scopes);
  });
  return {
    find: async (...asked) => (await load()).find(...asked),
    recall: async (...asked) => (await load()).recall(...asked),
    prepare: async (...asked) => (await load()).prepare(...asked),
  };
}
