// What a step costs over the Anthropic client: ours, and the client's own tool runner. Both get the
// same streams from the same fetch, which answers at once.
import Anthropic from '@anthropic-ai/sdk';
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod';
import * as z from 'zod';
import { createAnthropicModel, query } from '../../../src/index.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import { toSse } from '../../support/models/model-streams.ts';
import { callMessage, lastMessage, noop } from './run-calls.ts';

/** Holds one conversation of so many calls over `fetch`. */
type Converse = (fetch: typeof globalThis.fetch, calls: number) => Promise<void>;

export const withRockpool: Converse = async (fetch) => {
  await using host = await createInlineHost();
  const model = createAnthropicModel({ model: 'bench', apiKey: 'none', fetch });
  const options = { host, model, tools: [noop], allowedTools: ['Noop'] };
  const conversation = query({ prompt: 'Go.', options });
  while (!(await conversation.next()).done);
};

export const withToolRunner: Converse = async (fetch, calls) => {
  const runner = new Anthropic({ apiKey: 'none', fetch }).beta.messages.toolRunner({
    model: 'bench',
    max_tokens: 100,
    max_iterations: calls + 1,
    stream: true,
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
};

/** Microseconds from an answer that asks for a call to the next request, by call. */
export async function measureSteps(converse: Converse, calls: number): Promise<number[]> {
  const answeredAt: number[] = [];
  const askedAt: number[] = [];
  const fetch = (_input: unknown, { body }: RequestInit = {}) => {
    askedAt.push(performance.now());
    const call = answeredAt.length;
    if (call > 0) checkRequest(String(body), call - 1);
    const message = call < calls ? callMessage(call) : lastMessage;
    const response = new Response(toSse([...toEvents(message)]), {
      headers: { 'content-type': 'text/event-stream; charset=utf-8' },
    });
    answeredAt.push(performance.now());
    return Promise.resolve(response);
  };
  await converse(fetch, calls);
  if (askedAt.length !== calls + 1) throw new Error(`${askedAt.length - 1} of ${calls} were made.`);
  return askedAt.slice(1).map((asked, call) => (asked - (answeredAt[call] ?? Number.NaN)) * 1000);
}

function checkRequest(body: string, call: number): void {
  const { messages } = JSON.parse(body) as { messages: readonly unknown[] };
  const last = JSON.stringify(messages.at(-1));
  if (!last.includes(`"toolu_${call}"`) || !last.includes('done')) {
    throw new Error(`Call ${call} was answered with ${last}.`);
  }
}
