// What the API takes back no more: thinking is bound to what stood before it, and an image may be unreadable.
import { describe, expect, it } from 'vitest';
import type { ContentBlock } from '../../../src/core/messages/blocks.ts';
import type { MessageParam } from '../../../src/core/messages/messages.ts';
import { createAnthropicModel } from '../../../src/model/anthropic.ts';
import { createFakeFetch, jsonResponse, streamResponse } from '../../support/models/fake-fetch.ts';
import { textEvents, toChunks, toSse } from '../../support/models/model-streams.ts';
import { readAll } from '../../support/read-all.ts';

const refused = (message: string) =>
  jsonResponse({ type: 'error', error: { type: 'invalid_request_error', message } }, 400);
const boundElsewhere = refused.bind(
  undefined,
  'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block.',
);
const streamed = () => streamResponse(toChunks(toSse(textEvents('Done.')), [Infinity]));

const thought = (thinking: string): ContentBlock => ({
  type: 'thinking',
  thinking,
  signature: `signed ${thinking}`,
});
const said = (text: string): ContentBlock => ({ type: 'text', text });
const prompt = (content: string): MessageParam => ({ role: 'user', content });
const reply = (...content: ContentBlock[]): MessageParam => ({ role: 'assistant', content });

function connect(...answers: Response[]) {
  const server = createFakeFetch(...answers);
  const model = createAnthropicModel({
    model: 'claude-sonnet-5-5',
    baseURL: 'https://models.example',
    fetch: server.fetch,
  });
  const ask = (messages: readonly MessageParam[]) => {
    const { signal } = new AbortController();
    const last = { message: messages.length - 1, block: 0 };
    const breakpoints = { ttl: '5m', messages: [last] } as const;
    return readAll(model.stream({ system: [], tools: [], messages, breakpoints }, { signal }));
  };
  const sent = () =>
    server.requests.map(({ body }) => (body as { readonly messages: unknown }).messages);
  return { ask, sent };
}

const marked = (text: string) => [{ ...said(text), cache_control: { type: 'ephemeral' } }];

describe('thinking that the server refuses', () => {
  const first = [
    prompt('A summary of what was said before.'),
    reply(thought('one'), said('Yes.')),
    prompt('And now?'),
    reply(thought('only thought'), { type: 'redacted_thinking', data: 'x' }),
    prompt('Go on.'),
  ];
  const firstWithout = [first[0], reply(said('Yes.')), first[2]];

  it('is left out of the same request, which is sent again, and of each later one', async () => {
    const { ask, sent } = connect(boundElsewhere(), streamed(), streamed());
    expect((await ask(first)).at(-1)).toEqual({ type: 'message_stop' });
    const newer = reply(thought('two'), said('Gone on.'));
    await ask([...first, newer, prompt('More.')]);
    expect(sent()).toEqual([
      [...first.slice(0, 4), { role: 'user', content: marked('Go on.') }],
      [...firstWithout, { role: 'user', content: marked('Go on.') }],
      // What was thought since then is bound to what was sent then.
      [...firstWithout, first[4], newer, { role: 'user', content: marked('More.') }],
    ]);
  });

  it('is asked for once: a second refusal of the same is an error', async () => {
    const { ask, sent } = connect(boundElsewhere(), boundElsewhere());
    await expect(ask(first)).rejects.toMatchObject({ code: 'model-bad-request' });
    expect(sent()).toHaveLength(2);
  });

  it('is meant by each of the sentences that the API has for it, and by no other', async () => {
    const sentences = [
      'messages.1.content.0: Invalid `signature` in `thinking` block',
      'messages.1.content.0.thinking.signature: Field required',
      'messages.3.content.4: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.',
    ];
    for (const sentence of sentences) {
      const { ask, sent } = connect(refused(sentence), streamed());
      await ask(first);
      expect(sent()[1]).toHaveLength(4);
    }
    const { ask, sent } = connect(
      refused('max_tokens must be greater than thinking.budget_tokens'),
    );
    await expect(ask(first)).rejects.toMatchObject({ code: 'model-bad-request' });
    expect(sent()).toHaveLength(1);
  });
});

describe('an image that the server refuses', () => {
  const image = (data: string) =>
    ({ type: 'image', source: { type: 'base64', media_type: 'image/png', data } }) as const;
  const shown: MessageParam[] = [
    { role: 'user', content: [image('good'), { type: 'text', text: 'This?' }] },
    reply({ type: 'tool_use', id: 'look', name: 'Read', input: {} }),
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'look', content: [image('bad')] }],
    },
  ];
  const told = "(Here was: image. The server of the model can't read it, so it isn't shown.)";
  const resultOf = (messages: unknown) =>
    (messages as { content: { content: unknown }[] }[])[2]?.content[0]?.content;

  it('gives way to words, in the same request and in each later one', async () => {
    const { ask, sent } = connect(refused('Could not process image'), streamed(), streamed());
    await ask(shown);
    await ask([...shown, reply(said('Yes.')), prompt('And?')]);
    for (const messages of sent().slice(1)) {
      expect(resultOf(messages)).toEqual([{ type: 'text', text: told }]);
      expect(JSON.stringify(messages)).toContain('"good"');
    }
  });

  it('is the one that the error names', async () => {
    const { ask, sent } = connect(
      refused('messages.0.content.0.image.source.base64: image exceeds 5 MB maximum: 6 > 5'),
      streamed(),
    );
    await ask(shown);
    expect(resultOf(sent()[1])).toEqual([image('bad')]);
    expect(JSON.stringify(sent()[1])).not.toContain('"good"');
  });

  it('is asked for no more once none is left', async () => {
    const error = () => refused('Could not process image');
    const { ask, sent } = connect(error(), error(), error());
    await expect(ask(shown)).rejects.toThrow('Could not process image');
    expect(sent()).toHaveLength(3);
  });
});
