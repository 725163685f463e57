// What an iterable prompt of a query gives: texts and messages, and whatever a program gives by mistake.
import { expect, it } from 'vitest';
import { query } from '../../../src/agent/query.ts';
import { createAgentsModel } from '../../support/agents-model.ts';
import { isResult } from '../../support/open-sessions.ts';
import { openHost, readAll, say } from '../../support/run-hooked.ts';

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

it('a message that is not to be answered is refused, and asks no model', async () => {
  await using host = await openHost();
  const model = createAgentsModel({ main: [say('One.')] });
  const message = { role: 'user', content: 'For later.' };
  const prompt = give({ type: 'user', message, parent_tool_use_id: null, shouldQuery: false });
  const running = query({ prompt, options: { host, model } });
  await expect(readAll(running)).rejects.toThrow('shouldQuery: false, which is not here yet');
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
