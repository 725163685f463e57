// The peer: the Anthropic client's own tool runner, over a fetch that answers at once.
import Anthropic from '@anthropic-ai/sdk';
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod';
import * as z from 'zod';

/** Microseconds from an answer that asks for a call to the next request, for so many calls. */
export async function measureToolRunner(count: number): Promise<number[]> {
  const times: number[] = [];
  let answeredAt = Number.NaN;
  const client = new Anthropic({
    apiKey: 'none',
    fetch: () => {
      if (!Number.isNaN(answeredAt)) times.push((performance.now() - answeredAt) * 1000);
      const response = new Response(JSON.stringify(answer(times.length, count)), {
        headers: { 'content-type': 'application/json' },
      });
      answeredAt = performance.now();
      return Promise.resolve(response);
    },
  });
  const runner = client.beta.messages.toolRunner({
    model: 'bench',
    max_tokens: 100,
    max_iterations: count + 1,
    messages: [{ role: 'user', content: 'Go.' }],
    tools: [
      betaZodTool({
        name: 'Noop',
        description: 'Does nothing.',
        inputSchema: z.strictObject({ path: z.string() }),
        run: () => 'done',
      }),
    ],
  });
  await runner.runUntilDone();
  if (times.length !== count) throw new Error(`toolRunner made ${times.length} of ${count} calls.`);
  // Around message 10 as ours: later ones carry a longer conversation to the server.
  return times.slice(2, 7);
}

function answer(call: number, count: number) {
  const input = { path: 'src/file.ts' };
  const asks = call < count;
  return {
    id: 'msg_bench',
    type: 'message',
    role: 'assistant',
    model: 'bench',
    content: asks
      ? [{ type: 'tool_use', id: `toolu_${call}`, name: 'Noop', input }]
      : [{ type: 'text', text: 'Done.' }],
    stop_reason: asks ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  };
}
