// What an iterable prompt of a query gives: texts and messages, and whatever a program gives by mistake.
import { expect, it } from 'vitest';
import { query } from '../../../src/agent/query.ts';
import type { Query } from '../../../src/agent/query.ts';
import type { MessageParam } from '../../../src/core/messages/messages.ts';
import { listBreaches } from '../../support/models/api-rules.ts';
import { createAgentsModel } from '../../support/models/agents-model.ts';
import { isResult } from '../../support/sessions/open-sessions.ts';
import { openHost, readAll, say } from '../../support/turns/run-hooked.ts';
import { turnByTurn } from '../../support/turns/turn-by-turn.ts';

async function* give(...prompts: readonly unknown[]): AsyncGenerator<never, void> {
  for (const prompt of prompts) yield prompt as never;
}

it('an iterable prompt gives texts and messages', async () => {
  await using host = await openHost();
  const model = createAgentsModel({ main: [say('One.'), say('Two.')] });
  const message = { role: 'user', content: 'And now?' };
  const prompt = give('Begin.', { type: 'user', message, parent_tool_use_id: null });
  const messages = await readAll(query({ prompt, options: { host, model } }));
  expect(messages.filter(isResult)).toMatchObject([{ result: 'One.' }, { result: 'Two.' }]);
});

const toMessage = (content: unknown, more: object = {}) => {
  const message = { role: 'user', content };
  return { type: 'user', message, parent_tool_use_id: null, ...more };
};

it('a message that is not to be answered is in the conversation, and begins no turn', async () => {
  await using host = await openHost();
  const model = createAgentsModel({ main: [say('One.'), say('Two.')] });
  const unanswered = { shouldQuery: false, priority: 'now' };
  const prompt = give(
    toMessage('It rains.', unanswered),
    'Begin.',
    toMessage('/help', unanswered),
    toMessage('It has stopped.', unanswered),
  );
  const options = { host, model, sessionId: 'rain' };
  const messages = await readAll(query({ prompt, options }));
  expect(messages.filter(isResult)).toMatchObject([{ result: 'One.' }]);
  const { sessionId: _, ...others } = options;
  await readAll(query({ prompt: 'And?', options: { ...others, resume: 'rain' } }));
  const [first, second] = model.requests.map(({ request }) => JSON.stringify(request.messages));
  expect(first).toMatch(/It rains\..*Begin\./u);
  expect(first).not.toContain('/help');
  expect(second).toMatch(/It rains\..*Begin\..*One\..*\/help.*It has stopped\..*And\?/u);
  expect(model.requests.map(({ request }) => listBreaches(request.messages))).toEqual([[], []]);
});

it('what was pasted into a message follows what was typed', async () => {
  await using host = await openHost();
  const model = createAgentsModel({ main: [say('One.'), say('Two.')] });
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: '' } };
  const prompt = give(
    toMessage('Sum it up.', {
      pasted_content: ['First part.', [{ type: 'text', text: 'Second.' }, image]],
    }),
    toMessage('', { pasted_content: ['Alone.'] }),
  );
  await readAll(query({ prompt, options: { host, model } }));
  const said = model.requests.map(({ request }) => request.messages.findLast(isPerson)?.content);
  const paste = (text: string) => ({
    type: 'text',
    text: `<pasted_content>\n${text}\n</pasted_content>`,
  });
  expect(said).toEqual([
    [{ type: 'text', text: 'Sum it up.' }, paste('First part.'), paste('Second.')],
    [paste('Alone.')],
  ]);
});

const isPerson = (message: MessageParam) => JSON.stringify(message).includes('pasted_content');

it('setModel without a model goes back to that of the options', async () => {
  await using host = await openHost();
  const own = createAgentsModel({ main: [say('One.'), say('Two.')] });
  const other = { ...createAgentsModel({ main: [say('One.')] }), name: 'other' };
  async function* prompts() {
    await running.setModel(other);
    yield 'Begin.';
    await running.setModel();
    yield 'Go on.';
  }
  const { prompt, hear } = turnByTurn(prompts());
  const running: Query = query({ prompt, options: { host, model: own } });
  for await (const message of running) hear(message);
  expect([other.requests.length, own.requests.length]).toEqual([1, 1]);
});

it.each([
  ['an empty text', ''],
  ['a text of spaces alone', ' \n'],
  [
    'a message of empty texts',
    { message: { role: 'user', content: [{ type: 'text', text: ' ' }] } },
  ],
  [
    'a text block with a number',
    { message: { role: 'user', content: [{ type: 'text', text: 5 }] } },
  ],
  ['nothing', undefined],
  ['a message without its envelope', { role: 'user', content: 'Hello' }],
  ['a block without a type', { message: { role: 'user', content: [{ text: 'Hello' }] } }],
])('%s among them is refused with what to give', async (_, prompt) => {
  await using host = await openHost();
  const model = createAgentsModel({ main: [say('One.')] });
  const running = query({ prompt: give('Begin.', prompt), options: { host, model } });
  await expect(readAll(running)).rejects.toMatchObject({
    code: 'bad-usage',
    message:
      "An iterable prompt gives a text that isn't empty, or a message { type: 'user', message: { role: 'user', content: 'Hello' }, parent_tool_use_id: null }. Blocks have a type, those of type text a text, and a uuid is a text.",
  });
});

it.each([
  [{ type: 'tool_result', tool_use_id: 'x', content: 'Done.' }, 'only the session itself writes'],
  [{ type: 'tool_use', id: 'x', name: 'Write', input: {} }, 'only the session itself writes'],
  [{ type: 'thinking', thinking: 'Hm.', signature: 'x' }, 'only the session itself writes'],
  [{ type: 'image' }, 'without a source. Give it one'],
  [{ type: 'document', source: null }, 'without a source. Give it one'],
])(
  'a block is refused that the API would refuse in each later request: %o',
  async (block, said) => {
    await using host = await openHost();
    const model = createAgentsModel({ main: [say('One.')] });
    const message = { role: 'user', content: [{ type: 'text', text: 'Look.' }, block] };
    const running = query({ prompt: give({ message }), options: { host, model } });
    await expect(readAll(running)).rejects.toMatchObject({
      code: 'bad-usage',
      message: expect.stringContaining(`A prompt has a block of type ${block.type}`) as string,
    });
    await expect(
      readAll(query({ prompt: give({ message }), options: { host, model } })),
    ).rejects.toThrow(said);
    expect(model.requests).toEqual([]);
  },
);

const hears = {
  UserPromptSubmit: [{ hooks: [() => Promise.resolve({ decision: 'block' as const })] }],
};

it('a prompt that names a person as its origin runs the hooks of a prompt', async () => {
  await using host = await openHost();
  const model = createAgentsModel({ main: [say('One.')] });
  const message = { role: 'user', content: 'Begin.' };
  const prompt = give({ message, origin: { kind: 'human' } });
  await readAll(query({ prompt, options: { host, model, hooks: hears } }));
  expect(model.requests).toEqual([]);
});

it.each([{ kind: 'schedule' }, { kind: 'channel', server: 'chat' }, 'human'])(
  'a prompt of the origin %o is refused, as the hooks of a prompt would not hear of it',
  async (origin) => {
    await using host = await openHost();
    const model = createAgentsModel({ main: [say('One.')] });
    const prompt = give({ message: { role: 'user', content: 'Begin.' }, origin });
    await expect(readAll(query({ prompt, options: { host, model } }))).rejects.toMatchObject({
      code: 'bad-usage',
      message: expect.stringContaining('origin of a prompt') as string,
    });
    expect(model.requests).toEqual([]);
  },
);

it('an empty text beside an image is left out, as the API refuses it', async () => {
  await using host = await openHost();
  const model = createAgentsModel({ main: [say('One.')] });
  const image = {
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' },
  };
  const content = [{ type: 'text', text: '' }, image];
  const prompt = give({ message: { role: 'user', content } });
  await readAll(query({ prompt, options: { host, model } }));
  const sent = JSON.stringify(model.requests[0]?.request.messages);
  expect(sent).toContain('"type":"image"');
  expect(sent).not.toContain('"text":""');
});
