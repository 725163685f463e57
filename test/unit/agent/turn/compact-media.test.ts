// A conversation whose images are more than one request may have.
import { describe, expect, it } from 'vitest';
import { query } from '../../../../src/agent/query.ts';
import { isCompactionPrompt } from '../../../../src/core/messages/compaction-messages.ts';
import { SdkError } from '../../../../src/core/errors.ts';
import type { MessageParam } from '../../../../src/core/messages/messages.ts';
import type { SDKMessage, SDKUserMessage } from '../../../../src/core/messages/sdk-message.ts';
import { createInlineHost } from '../../../../src/hosts/inline/create-inline-host.ts';
import type { Model, ModelRequest } from '../../../../src/model/model.ts';
import { toEvents } from '../../../../src/model/to-events.ts';
import { listBreaches } from '../../../support/models/api-rules.ts';
import { assistantMessage } from '../../../support/models/model-streams.ts';

const sizeOf = (messages: readonly MessageParam[]) => JSON.stringify(messages).length;

/** Refuses what is longer than `limit` characters, as a server refuses a body. `limit`: by how many came before. */
function limited(limit: (requests: number) => number) {
  const requests: ModelRequest[] = [];
  const model: Model = {
    name: 'limited',
    apiKeySource: 'none',
    async *stream(request) {
      if (sizeOf(request.messages) > limit(requests.length)) {
        throw new SdkError('model-context-window', 'request too large');
      }
      requests.push({ ...request, messages: [...request.messages] });
      const text = isCompactionPrompt(request.messages.at(-1)) ? 'There were pictures.' : 'Seen.';
      yield* toEvents(assistantMessage([{ type: 'text', text }]));
    },
  };
  return { model, requests };
}

/** Pictures of 600 000 characters each. */
async function* prompts(count: number): AsyncGenerator<SDKUserMessage> {
  for (let at = 0; at < count; at += 1) {
    const data = 'A'.repeat(600_000);
    const content = [
      { type: 'text', text: `Picture ${at}` },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
    ];
    const message = { role: 'user', content } as SDKUserMessage['message'];
    yield { type: 'user', message, parent_tool_use_id: null };
  }
}

async function play(count: number, limit: (requests: number) => number) {
  const { model, requests } = limited(limit);
  await using host = await createInlineHost();
  const messages: SDKMessage[] = [];
  for await (const one of query({ prompt: prompts(count), options: { host, model } })) {
    messages.push(one);
  }
  const results = messages.flatMap((one) => (one.type === 'result' ? [one.subtype] : []));
  return { results, requests };
}

describe('a conversation with more images than a request may have', () => {
  it('is summed up, and goes on with the newest ones', async () => {
    const { results, requests } = await play(8, () => 3_200_000);
    expect(results).toEqual(Array.from({ length: 8 }, () => 'success'));
    const last = requests.at(-1)?.messages ?? [];
    expect(JSON.stringify(last.at(-1))).toContain('Picture 7');
    for (const { messages } of requests) expect(listBreaches(messages)).toEqual([]);
  });

  it('is summed up without them where the request for the summary is refused for them, too', async () => {
    // As where another server is asked from then on.
    const { results, requests } = await play(5, (count) => (count < 4 ? 3_200_000 : 1_400_000));
    expect(results).toEqual(Array.from({ length: 5 }, () => 'success'));
    const [asked] = requests.filter(({ messages }) => isCompactionPrompt(messages.at(-1)));
    expect(sizeOf(asked?.messages ?? [])).toBeLessThan(100_000);
    expect(asked?.messages).toContainEqual({
      role: 'user',
      content: [
        { type: 'text', text: 'Picture 0' },
        { type: 'text', text: '(Here was: image.)' },
      ],
    });
  });
});
