// Replies that end otherwise than hoped, over real HTTP and Anthropic's client: what is sent after them,
// and how the turn ends.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { QueryOptions } from '../../../src/agent/query-options.ts';
import type { ContentBlock } from '../../../src/core/messages/blocks.ts';
import type { AssistantMessage, ModelEvent } from '../../../src/core/messages/messages.ts';
import { readSystemReminder } from '../../../src/core/messages/system-reminder.ts';
import { createAnthropicModel } from '../../../src/model/anthropic.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import { refusal, startMessagesServer } from '../../support/models/messages-server.ts';
import type { Answer, MessagesServer } from '../../support/models/messages-server.ts';
import { assistantMessage, toSse } from '../../support/models/model-streams.ts';
import { asks, playTurns, says } from '../../support/turns/play-turns.ts';
import { withoutEnvironment } from '../../support/turns/run-hooked.ts';
import type { MessageParam } from '../../../src/core/messages/messages.ts';

let server: MessagesServer;
beforeAll(async () => {
  server = await startMessagesServer();
});
afterAll(() => server[Symbol.asyncDispose]());

interface Sent {
  readonly role: string;
  readonly content: string | readonly ContentBlock[];
}

const stream = (message: AssistantMessage, change = (events: ModelEvent[]) => events): Answer => ({
  type: 'stream',
  text: toSse(change([...toEvents(message, 16)])),
});

/** Plays these answers. `sent`: the conversation of each request, without breakpoints and environment. */
async function play(
  answers: readonly Answer[],
  { prompts, ...options }: Partial<QueryOptions> & { readonly prompts?: readonly string[] } = {},
) {
  const before = server.requests.length;
  server.answer(...answers);
  const model = createAnthropicModel({
    model: 'claude-test',
    apiKey: 'sk-test',
    baseURL: server.url,
    maxRetries: 0,
  });
  const played = await playTurns({ model, toolSearch: false, ...options }, prompts);
  const sent = server.requests.slice(before).map(({ body }) => {
    const { messages } = body as { readonly messages: readonly Sent[] };
    return withoutEnvironment(messages as readonly MessageParam[]).map(({ role, content }) => ({
      role,
      content:
        typeof content === 'string'
          ? [{ type: 'text', text: content }]
          : content.map((block) => {
              const { cache_control: _, ...rest } = block as { cache_control?: object };
              return rest as ContentBlock;
            }),
    }));
  });
  return { ...played, sent };
}

const reminders = (messages: readonly Sent[] = []) =>
  messages.flatMap(({ content }) =>
    typeof content === 'string'
      ? []
      : content.flatMap((block) =>
          'text' in block ? (readSystemReminder(String(block.text)) ?? []) : [],
        ),
  );

const cut = (text: string) => says(text, { stop_reason: 'max_tokens' });
const write = (content: string) =>
  ({ type: 'tool_use', id: 'w', name: 'Write', input: { file_path: 'new.txt', content } }) as const;

/** As the API cuts a call: its block is closed in the midst of the input. */
const closedEarly = (events: ModelEvent[]) => {
  const lastDelta = events.findLastIndex(({ type }) => type === 'content_block_delta');
  return events.filter((_, at) => at !== lastDelta);
};

/** As other servers do: the block stays open. */
const leftOpen = (events: ModelEvent[]) => {
  const lastStop = events.findLastIndex(({ type }) => type === 'content_block_stop');
  return events.filter((_, at) => at !== lastStop);
};

describe('a text that max_tokens cuts', () => {
  it('is gone on with, without a prefill', async () => {
    const { sent, results } = await play([
      stream(cut('One, two')),
      stream(cut('three')),
      stream(says('four.')),
    ]);
    expect(sent).toHaveLength(3);
    expect(sent[2]?.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
    ]);
    expect(reminders(sent[2])).toEqual([
      'Your last message reached the limit of 5 output tokens and was cut off there. Go on exactly where it ended, without repeating any of it.',
      'Your last message reached the limit of 5 output tokens and was cut off there. Go on exactly where it ended, without repeating any of it.',
    ]);
    expect(results).toEqual([expect.objectContaining({ subtype: 'success', result: 'four.' })]);
  });

  it('keeps what was said before a thought that was cut, and not the thought, which has no signature', async () => {
    const thought = { type: 'thinking', thinking: 'First', signature: 'signed' } as const;
    const content = [
      thought,
      { type: 'text', text: 'One.' },
      { type: 'thinking', thinking: 'Th', signature: '' },
    ] as const;
    const { sent } = await play([stream({ ...cut(''), content }), stream(says('Done.'))]);
    expect(sent[1]?.find(({ role }) => role === 'assistant')?.content).toMatchObject(
      content.slice(0, 2),
    );
  });

  it('ends the turn when it is cut for the third time', async () => {
    const { sent, results } = await play(['a', 'b', 'c'].map((text) => stream(cut(text))));
    expect(sent).toHaveLength(3);
    expect(results).toEqual([
      expect.objectContaining({
        subtype: 'error_during_execution',
        is_error: true,
        stop_reason: 'max_tokens',
        error_code: 'model-max-tokens',
        errors: [
          "The model reached the limit of 5 output tokens in 3 replies one after the other, and the last one is not finished. Raise the model's maxTokens, or ask for less at once.",
        ],
      }),
    ]);
  });

  it('counts anew after a reply that was whole', async () => {
    const look = {
      type: 'tool_use',
      id: 'r',
      name: 'Read',
      input: { file_path: 'a.txt' },
    } as const;
    const { results } = await play([
      stream(cut('a')),
      stream(cut('b')),
      stream(asks(look)),
      stream(cut('c')),
      stream(cut('d')),
      stream(says('Done.')),
    ]);
    expect(results).toEqual([expect.objectContaining({ subtype: 'success', result: 'Done.' })]);
  });

  it('says so where nothing but thoughts had come', async () => {
    const thought = { type: 'thinking', thinking: 'Hm', signature: 's' } as const;
    const reply = assistantMessage([thought], { stop_reason: 'max_tokens' });
    const { sent } = await play([stream(reply), stream(says('Done.'))]);
    expect(sent[1]?.map(({ role }) => role)).toEqual(['user', 'user']);
    expect(reminders(sent[1])[0]).toMatch(/before it said anything\. Think less/u);
  });

  it('keeps to maxTurns', async () => {
    const { results, sent } = await play([stream(cut('a'))], { maxTurns: 1 });
    expect(sent).toHaveLength(1);
    expect(results).toEqual([expect.objectContaining({ subtype: 'error_max_turns' })]);
  });
});

describe('a call that max_tokens cuts', () => {
  const limit =
    /^Your message reached the limit of 5 output tokens within this call of Write, so it was not run\./u;
  const reply = assistantMessage([write('x'.repeat(200))], { stop_reason: 'max_tokens' });

  it('is answered with the limit where its block was closed', async () => {
    const { sent, messages } = await play([stream(reply, closedEarly), stream(says('Done.'))]);
    const [, call, answer] = sent[1] ?? [];
    expect(call?.content).toEqual([{ ...write(''), input: {} }]);
    expect(answer?.content).toEqual([
      {
        type: 'tool_result',
        tool_use_id: 'w',
        is_error: true,
        content: expect.stringMatching(limit) as string,
      },
    ]);
    expect(JSON.stringify(messages)).not.toContain("isn't valid JSON");
  });

  it('is told as a reminder where its block was left open', async () => {
    const { sent } = await play([stream(reply, leftOpen), stream(says('Done.'))]);
    expect(reminders(sent[1])).toEqual([expect.stringMatching(limit)]);
    expect(JSON.stringify(sent[1])).not.toContain('tool_use');
  });

  it('is still bad JSON where the model was not cut off', async () => {
    const whole = { ...reply, stop_reason: 'tool_use' };
    const { sent } = await play([stream(whole, closedEarly), stream(says('Done.'))]);
    expect(JSON.stringify(sent[1])).toContain("isn't valid JSON");
  });
});

describe('a full context window', () => {
  const full = says('Half', { stop_reason: 'model_context_window_exceeded' });

  it.each<[string, Answer, string | null]>([
    ['in mid-reply', stream(full), 'model_context_window_exceeded'],
    [
      'before it',
      refusal(400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'),
      null,
    ],
  ])('ends the turn with a code of its own: %s', async (_, answer, stop_reason) => {
    const { results, sent } = await play([answer]);
    expect(sent).toHaveLength(1);
    expect(results).toEqual([
      expect.objectContaining({
        subtype: 'error_during_execution',
        stop_reason,
        error_code: 'model-context-window',
        terminal_reason: 'prompt_too_long',
        errors: [expect.stringContaining('context window')],
      }),
    ]);
  });
});

describe('a tool of the server', () => {
  const search = {
    type: 'server_tool_use',
    id: 'srvtoolu_1',
    name: 'web_search',
    input: { query: 'x' },
  };
  const found = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] };
  const say = (text: string) => ({ type: 'text', text });

  it('gets its result in a later reply, with nothing sent between', async () => {
    const { sent, results } = await play(
      [
        stream(assistantMessage([say('I search.'), search], { stop_reason: 'pause_turn' })),
        stream(assistantMessage([found, say('Found.')])),
        stream(says('Once more.')),
      ],
      { prompts: ['Go.', 'And?'] },
    );
    expect(sent[1]).toEqual([
      { role: 'user', content: [say('Go.')] },
      { role: 'assistant', content: [say('I search.'), search] },
    ]);
    expect(sent[2]?.slice(1)).toEqual([
      { role: 'assistant', content: [say('I search.'), search] },
      { role: 'assistant', content: [found, say('Found.')] },
      { role: 'user', content: [say('And?')] },
    ]);
    expect(results.map(({ subtype }) => subtype)).toEqual(['success', 'success']);
  });

  it('gets it after the results of other calls of the same message', async () => {
    const look = {
      type: 'tool_use',
      id: 'r',
      name: 'Read',
      input: { file_path: 'a.txt' },
    } as const;
    const { sent } = await play([
      stream(asks(search, look)),
      stream(assistantMessage([found, say('Found.')])),
    ]);
    expect(sent[1]?.slice(1)).toEqual([
      { role: 'assistant', content: [search, look] },
      {
        role: 'user',
        content: [expect.objectContaining({ type: 'tool_result', tool_use_id: 'r' })],
      },
    ]);
  });

  it.each<[string, Answer]>([
    [
      'the connection is cut',
      {
        type: 'stream',
        text: toSse(
          [...toEvents(assistantMessage([say('I search.'), search, say('And')]))].slice(0, -4),
        ),
        ending: 'cut',
      },
    ],
    [
      'the turn ends at its pause',
      stream(assistantMessage([say('I search.'), search], { stop_reason: 'pause_turn' })),
    ],
    [
      'the limit comes first',
      stream(
        assistantMessage([say('I search.'), search], {
          stop_reason: 'model_context_window_exceeded',
        }),
      ),
    ],
  ])('leaves the conversation with no result to come where %s', async (_, answer) => {
    const { sent, results } = await play([answer, stream(says('Done.'))], {
      prompts: ['Go.', 'And?'],
      maxTurns: 1,
    });
    expect(results.at(-1)).toMatchObject({ subtype: 'success', result: 'Done.' });
    expect(sent[1]?.slice(1)).toEqual([
      { role: 'assistant', content: [say('I search.')] },
      { role: 'user', content: [say('And?')] },
    ]);
  });
});

describe('thinking', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 30 });
  const thought = fc.oneof(
    fc.record({
      type: fc.constant('thinking' as const),
      // Empty where the server keeps the text to itself.
      thinking: fc.oneof(fc.constant(''), text),
      signature: fc.base64String({ minLength: 4, maxLength: 40 }),
    }),
    fc.record({
      type: fc.constant('redacted_thinking' as const),
      data: fc.base64String({ minLength: 4, maxLength: 40 }),
    }),
  );
  const said = fc.record({
    type: fc.constant('text' as const),
    text: text.map((words) => `x${words}`),
  });
  const content = fc.array(fc.oneof(thought, said), { minLength: 1, maxLength: 6 });

  it('is sent back as it came, in its place, byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(content, async (blocks) => {
        const calls = ['a', 'b'].map((name) => ({
          type: 'tool_use' as const,
          id: `call_${name}`,
          name: 'Read',
          input: { file_path: `${name}.txt` },
        }));
        const [first, second] = calls as [(typeof calls)[0], (typeof calls)[0]];
        // Between and before calls that run side by side.
        const reply = asks(...blocks, first, ...blocks, second);
        const { sent } = await play([stream(reply), stream(says('Done.'))]);
        expect(JSON.stringify(sent[1]?.[1])).toBe(
          JSON.stringify({ role: 'assistant', content: reply.content }),
        );
      }),
      { numRuns: 40 },
    );
  });
});
