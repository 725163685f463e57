// The model of random sequences: it does for each prompt what the prompt's first word says.
import type { MessageParam } from '../../../src/core/messages/messages.ts';
import { assistantMessage } from '../models/model-streams.ts';

/** A word and a number. */
export const promptPattern = /^[a-z]+-\d+$/u;

/** Runs a cell that adds the new prompts to `heard`, and the calls that they ask for. */
export function mixedReply({ messages }: { readonly messages: readonly MessageParam[] }) {
  const news = messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1);
  const prompts = news
    .flatMap(({ content }) =>
      typeof content === 'string'
        ? [content]
        : content.flatMap((block) => (block.type === 'text' ? [String(block.text)] : [])),
    )
    .filter((text) => promptPattern.test(text));
  if (prompts.length === 0) return assistantMessage([{ type: 'text', text: 'Done.' }]);
  const has = (word: string) => prompts.some((prompt) => prompt.startsWith(word));
  const id = `call-${messages.length}-${prompts.join('-')}`;
  const call = (name: string, input: Readonly<Record<string, unknown>>, number: number) =>
    ({ type: 'tool_use', id: `${id}-${number}`, name, input }) as const;
  const code = `globalThis.heard = [...(globalThis.heard ?? []), ...${JSON.stringify(prompts)}];
await fs.promises.writeFile('heard.txt', heard.join()); heard.join()`;
  const calls = [call('Repl', { code }, 0)];
  // A person is asked.
  if (has('ask')) {
    const input = { file_path: '/workspace/asked.txt', content: prompts.join() };
    calls.push(call('Write', input, 1));
  }
  if (has('agent')) {
    const input = {
      description: 'Looks',
      prompt: 'Look around.',
      subagent_type: 'general-purpose',
    };
    calls.push(call('Agent', input, 2));
  }
  if (has('background')) {
    const later = 'await new Promise((resolve) => setTimeout(resolve, 20)); 7';
    calls.push(call('Repl', { code: later, run_in_background: true }, 3));
  }
  return assistantMessage(calls, { stop_reason: 'tool_use' });
}
