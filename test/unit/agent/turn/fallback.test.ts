// A model refuses, or its server stays overloaded: who is asked then, and what stays of the refusal.
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { query } from '../../../../src/agent/query.ts';
import { createDeferred } from '../../../../src/core/async/deferred.ts';
import { SdkError } from '../../../../src/core/errors.ts';
import { createInlineHost } from '../../../../src/hosts/inline/create-inline-host.ts';
import type { Model } from '../../../../src/model/model.ts';
import { toEvents } from '../../../../src/model/to-events.ts';
import { createTranscriptStore } from '../../../../src/react/transcript-store.ts';
import { assistantMessage } from '../../../support/models/model-streams.ts';
import { pageTool } from '../../../support/stages/test-tools.ts';
import { asks, listModel, playTurns, says } from '../../../support/turns/play-turns.ts';
import { withoutEnvironment } from '../../../support/turns/run-hooked.ts';

const refuses = says('I begin, but', { id: 'msg_refused', stop_reason: 'refusal' });
const overloaded = new SdkError('model-overloaded', 'models.example is overloaded.');
const read = { type: 'tool_use', id: 'r', name: 'Read', input: { file_path: 'a.txt' } } as const;

describe('a refusal', () => {
  it('is retracted, and the fallback models are asked in their order', async () => {
    const model = listModel('first', [refuses, says('Hello again.')]);
    const second = listModel('second', [refuses]);
    const third = listModel('third', [asks(read), says('Done.')]);
    const { messages, results, fallbacks } = await playTurns(
      { model, fallbackModel: [second, third] },
      ['Go.', 'Once more.'],
    );
    expect(results.map((one) => one.subtype === 'success' && one.result)).toEqual([
      'Done.',
      'Hello again.',
    ]);
    // The refused words are in nobody's request.
    const sent = [model, second, third].flatMap(({ requests }) => requests);
    expect(JSON.stringify(sent)).not.toContain('I begin');
    expect([model, second, third].map(({ requests }) => requests.length)).toEqual([2, 1, 2]);
    // The next prompt begins with the first model, which is sent what the third has said.
    expect(JSON.stringify(model.requests[1]?.messages)).toContain('Done.');

    const replies = messages.filter((message) => message.type === 'assistant');
    const [first, other, call, ...rest] = replies;
    expect(fallbacks).toEqual([
      expect.objectContaining({
        trigger: 'refusal',
        direction: 'retry',
        original_model: 'first',
        fallback_model: 'second',
        request_id: 'msg_refused',
        retracted_message_uuids: [first?.uuid],
      }),
      expect.objectContaining({
        original_model: 'second',
        fallback_model: 'third',
        retracted_message_uuids: [other?.uuid],
      }),
    ]);
    expect(other?.supersedes).toEqual([first?.uuid]);
    expect(call?.supersedes).toEqual([first?.uuid, other?.uuid]);
    expect(rest.map(({ supersedes }) => supersedes)).toEqual([undefined, undefined]);
  });

  it('leaves nothing of its words with a viewer', async () => {
    const model = listModel('first', [refuses]);
    const { messages } = await playTurns({
      model,
      fallbackModel: listModel('second', [says('Done.')]),
      includePartialMessages: true,
    });
    const store = createTranscriptStore();
    for (const message of messages) store.apply(message);
    const shown = store.getSnapshot().turns.flatMap(({ entries }) => entries);
    expect(shown.map((entry) => ('text' in entry ? [entry.kind, entry.text] : entry.kind))).toEqual(
      [
        ['notice', expect.stringContaining('first refused to go on')],
        ['text', 'Done.'],
      ],
    );
  });

  it('keeps what its calls have done, and tells the model of it', async () => {
    const { promise: ran, resolve: hasRun } = createDeferred();
    const act = pageTool('Act', z.strictObject({}), () => {
      hasRun();
      return 'acted';
    });
    const call = { type: 'tool_use', id: 'act', name: 'Act', input: {} } as const;
    const refused = assistantMessage([call], { stop_reason: 'refusal' });
    const model: Model = {
      ...listModel('first', []),
      async *stream() {
        for (const event of toEvents(refused)) {
          yield event;
          if (event.type === 'content_block_stop') await ran;
        }
      },
    };
    const second = listModel('second', [says('Done.')]);
    const { messages, fallbacks } = await playTurns({ model, fallbackModel: second, tools: [act] });
    expect(withoutEnvironment(second.requests[0]?.messages ?? [])).toEqual([
      { role: 'user', content: 'Go.' },
      {
        role: 'user',
        content: [{ type: 'text', text: expect.stringContaining('Act (it ran') as string }],
      },
    ]);
    const [staying] = messages.filter((message) => message.type === 'assistant');
    expect(staying?.message.content).toEqual([call]);
    // It had said nothing.
    expect(fallbacks[0]?.retracted_message_uuids).toEqual([]);
  });

  it('is the result where no model is left', async () => {
    const { results, fallbacks } = await playTurns({
      model: listModel('first', [refuses]),
      fallbackModel: listModel('second', [says('', { content: [], stop_reason: 'refusal' })]),
    });
    expect(fallbacks).toHaveLength(1);
    expect(results).toEqual([
      expect.objectContaining({
        subtype: 'success',
        is_error: true,
        stop_reason: 'refusal',
        result: 'The model refused to go on.',
      }),
    ]);
  });
});

describe('an overload', () => {
  it('is answered by the fallback model for that turn, and told', async () => {
    const model = listModel('first', [overloaded, says('Back.')]);
    const second = listModel('second', [asks(read), says('Done.')]);
    const { messages, results } = await playTurns({ model, fallbackModel: second }, ['Go.', 'On.']);
    expect(results.map((one) => one.subtype === 'success' && one.result)).toEqual([
      'Done.',
      'Back.',
    ]);
    const notices = messages.filter(
      (message) => message.type === 'system' && message.subtype === 'informational',
    );
    expect(notices).toEqual([
      expect.objectContaining({
        level: 'warning',
        content: 'The server of first is overloaded: second is asked for the rest of this turn.',
      }),
    ]);
  });

  it('is the result where there is no other model', async () => {
    const { results } = await playTurns({ model: listModel('first', [overloaded]) });
    expect(results).toEqual([expect.objectContaining({ error_code: 'model-overloaded' })]);
  });

  it('lets the other model go on with a reply that it cut', async () => {
    const begun = assistantMessage([{ type: 'text', text: 'Half' }]);
    const model = {
      ...listModel('first', []),
      async *stream() {
        yield { type: 'message_start', message: begun } as const;
        throw overloaded;
      },
    };
    const second = listModel('second', [says('whole.')]);
    const { results } = await playTurns({ model, fallbackModel: second });
    expect(results[0]).toMatchObject({ subtype: 'success', result: 'whole.' });
    expect(second.requests[0]?.messages.slice(-2)).toEqual([
      { role: 'assistant', content: [{ type: 'text', text: 'Half' }] },
      { role: 'user', content: [expect.objectContaining({ type: 'text' })] },
    ]);
  });
});

it('leaves no call of a server open whose reply another model goes on with', async () => {
  const search = { type: 'server_tool_use', id: 's', name: 'web_search', input: {} };
  const text = { type: 'text', text: 'I search.' };
  const paused = assistantMessage([text, search], { stop_reason: 'pause_turn' });
  const second = listModel('second', [says('Done.')]);
  await playTurns({ model: listModel('first', [paused, overloaded]), fallbackModel: second });
  expect(second.requests[0]?.messages.slice(-2)).toEqual([
    { role: 'assistant', content: [text] },
    { role: 'user', content: [expect.objectContaining({ type: 'text' })] },
  ]);
});

describe('fallbackModel', () => {
  it.each([
    ['a name', 'claude-sonnet-5', 'fallbackModel is no model: "claude-sonnet-5"'],
    ['a list with a name', [listModel('second', []), 'x'], 'fallbackModel is no model: "x"'],
  ])('refuses %s', async (_, fallbackModel, message) => {
    await using host = await createInlineHost();
    const options = { host, model: listModel('first', []), fallbackModel } as never;
    expect(() => query({ prompt: 'Go.', options })).toThrow(message);
  });

  it('refuses the model itself', async () => {
    await using host = await createInlineHost();
    const model = listModel('first', []);
    const options = { host, model, fallbackModel: [model] };
    expect(() => query({ prompt: 'Go.', options })).toThrow('fallbackModel is the model itself');
  });
});
