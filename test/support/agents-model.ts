// A model for several agents: each conversation is played from the script of its own, chosen by what its first
// prompt says. For tests of sub-agents.
import type { Model, ModelRequest } from '../../src/model/model.ts';
import type { ScriptTurn } from '../../src/model/script.ts';
import { createScriptedModel } from '../../src/model/scripted.ts';

/** What an agent is asked, and what its model says. */
export interface AgentsModel extends Model {
  /** All requests in their order, with the script that each was answered by. */
  readonly requests: { readonly who: string; readonly request: ModelRequest }[];
}

/**
 * `scripts`: by a text of the task; a conversation without any of them is `main`'s. `before` may hold a
 * request back.
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
      // The innermost: a fork's conversation has its parent's prompt, too.
      const who = Object.keys(rest).findLast((task) => isTask(request, task)) ?? 'main';
      requests.push({ who, request: structuredClone(request) });
      await before(who, options?.signal);
      yield* model.stream(request, options);
    },
  };
}

/** As {@link createAgentsModel}, but that the requests of `who` wait for good from the one of that number on. */
export function createHeldModel(
  scripts: Readonly<Record<string, readonly ScriptTurn[]>>,
  who: string,
  from = 1,
): { readonly model: AgentsModel; readonly isHeld: Promise<void> } {
  let tell: () => void = () => {};
  const isHeld = new Promise<void>((resolve) => (tell = resolve));
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

/** Is there a prompt that says no more than the task? A call that gives it has it in its input. */
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
