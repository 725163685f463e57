// A model for several agents. Each conversation has its own script, which is chosen by the text of its first prompt.
// For tests of sub-agents.
import { createDeferred } from '../../../src/core/async/deferred.ts';
import type { Model, ModelRequest } from '../../../src/model/model.ts';
import type { ScriptTurn } from '../../../src/model/script.ts';
import { createScriptedModel } from '../../../src/model/scripted.ts';

/** A model with several scripts, which records its requests. */
export interface AgentsModel extends Model {
  /** All requests in their order, with the script that each was answered by. */
  readonly requests: { readonly who: string; readonly request: ModelRequest }[];
}

/**
 * `scripts`: by a text of the task. A conversation whose task has none of these texts is `main`'s. `before` may delay
 * a request.
 */
export function createAgentsModel(
  scripts: Readonly<Record<string, readonly ScriptTurn[]>>,
  before: (who: string, signal: AbortSignal | undefined) => Promise<void> | void = () => {},
): AgentsModel {
  const { main, ...rest } = scripts;
  if (!main) throw new Error('There is no script for main.');
  const tasks = Object.entries(rest).map(([prompt, turns]) => ({ prompt, turns }));
  const model = createScriptedModel({ script: { turns: main, tasks } });
  const requests: AgentsModel['requests'] = [];
  return {
    ...model,
    requests,
    async *stream(request, options) {
      // Takes the innermost task, because a fork's conversation also has its parent's prompt.
      const who = Object.keys(rest).findLast((task) => isTask(request, task)) ?? 'main';
      requests.push({ who, request: structuredClone(request) });
      await before(who, options?.signal);
      yield* model.stream(request, options);
    },
  };
}

/** Like {@link createAgentsModel}, but from the given number on the requests of `who` wait for ever. */
export function createHeldModel(
  scripts: Readonly<Record<string, readonly ScriptTurn[]>>,
  who: string,
  from = 1,
): { readonly model: AgentsModel; readonly isHeld: Promise<void> } {
  const { promise: isHeld, resolve: tell } = createDeferred();
  let count = 0;
  const model = createAgentsModel(scripts, (one, signal) => {
    if (one === who) count += 1;
    if (one !== who || count < from) return;
    tell();
    return new Promise((resolve) => {
      signal?.addEventListener('abort', () => resolve(), { once: true });
    });
  });
  return { model, isHeld };
}

/** True if a prompt consists only of the task. The call that gives the task also has its text, in its input. */
function isTask({ messages }: ModelRequest, task: string): boolean {
  return messages.some(({ role, content }) => {
    if (role !== 'user') return false;
    const texts =
      typeof content === 'string'
        ? [content]
        : content.flatMap((block) =>
            block.type === 'text' ? [String(block['text' as never])] : [],
          );
    return texts.some((text) => text.trim() === task || text.trimEnd().endsWith(`\n\n${task}`));
  });
}
