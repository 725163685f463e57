import { describe, expect, it } from 'vitest';
import { collect } from '../../../src/agent/messages/collect.ts';
import type { AssistantMessage, MessageParam } from '../../../src/core/messages/messages.ts';
import type { Script, ScriptBlock, ScriptTurn } from '../../../src/model/script.ts';
import {
  toCompactionPrompt,
  toSummaryMessage,
} from '../../../src/core/messages/compaction-messages.ts';
import { toSystemReminder } from '../../../src/core/messages/system-reminder.ts';
import { createScriptedModel } from '../../../src/model/scripted.ts';
import type { ScriptedModelOptions } from '../../../src/model/scripted.ts';
import { createSkippingClock } from '../../support/skipping-clock.ts';
import { readAll } from '../../support/read-all.ts';

const text = (words: string): ScriptBlock => ({ type: 'text', text: words });
const says = (words: string, fields: Partial<ScriptTurn> = {}): ScriptTurn => ({
  blocks: [text(words)],
  ...fields,
});
const user = (content: string): MessageParam => ({ role: 'user', content });
const result = (tool_use_id: string, content: string): MessageParam => ({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id, content }],
});
const assistant = (words = '…'): MessageParam => ({ role: 'assistant', content: words });

function modelOf(turns: readonly ScriptTurn[], options: Partial<ScriptedModelOptions> = {}) {
  return createScriptedModel({ script: { turns }, ...options });
}

const never = new AbortController().signal;

async function ask(
  model: ReturnType<typeof modelOf>,
  messages: readonly MessageParam[],
): Promise<AssistantMessage> {
  const request = { system: [], tools: [], messages };
  const items = await readAll(collect(model.stream(request, { signal: never })));
  const last = items.at(-1);
  if (last?.type !== 'message') throw new Error('no message');
  return last.message;
}

async function textOf(model: ReturnType<typeof modelOf>, messages: readonly MessageParam[]) {
  const { content } = await ask(model, messages);
  return (content[0] as { text: string }).text;
}

describe('createScriptedModel', () => {
  it('answers with the turn as a message, and says that it is scripted', async () => {
    const model = modelOf([
      {
        blocks: [
          { type: 'thinking', thinking: 'I look first.' },
          text('Looking.'),
          { type: 'tool_use', id: 'toolu_look', name: 'Read', input: { file_path: '/a.ts' } },
          { type: 'tool_use', name: 'Glob', input: {} },
        ],
      },
    ]);
    expect([model.name, model.apiKeySource]).toEqual(['scripted', 'none']);
    expect(await ask(model, [user('Mend it.')])).toEqual({
      id: 'msg_scripted_0',
      type: 'message',
      role: 'assistant',
      model: 'scripted',
      content: [
        { type: 'thinking', thinking: 'I look first.', signature: 'scripted' },
        { type: 'text', text: 'Looking.' },
        { type: 'tool_use', id: 'toolu_look', name: 'Read', input: { file_path: '/a.ts' } },
        { type: 'tool_use', id: 'toolu_scripted_0_3', name: 'Glob', input: {} },
      ],
      stop_reason: 'tool_use',
      stop_sequence: null,
      usage: { input_tokens: 19, output_tokens: 65 },
    });
  });

  it.each([
    [{ script: { name: 'demo', turns: [] } }, 'scripted:demo'],
    [{ script: { name: 'demo', turns: [] }, name: 'mine' }, 'scripted:mine'],
  ])('is never named like a real model: %j', (options, name) => {
    expect(createScriptedModel(options).name).toBe(name);
  });

  it('finds its place from the conversation alone, so a resumed session goes on rightly', async () => {
    const turns = [says('one'), says('two'), says('three')];
    const conversation = [user('Go.'), assistant(), result('x', ''), assistant(), user('More.')];
    const answers = await Promise.all(
      [1, 3, 5].map((length) => textOf(modelOf(turns), conversation.slice(0, length))),
    );
    expect(answers).toEqual(['one', 'two', 'three']);
  });

  it('says the rest of a turn that was cut, unless the user has said something else since', async () => {
    const call = (id: string): ScriptBlock => ({ type: 'tool_use', id, name: 'Read', input: {} });
    const model = modelOf([{ blocks: [text('I read.'), call('a'), call('b')] }, says('Read.')]);
    const { content } = await ask(model, [user('Go.')]);
    const cut = (length: number): MessageParam => ({
      role: 'assistant',
      content: content.slice(0, length),
    });
    const rest = await ask(model, [user('Go.'), cut(2), result('a', 'A')]);
    expect(rest.content).toEqual(content.slice(2));
    expect((await ask(model, [user('Go.'), cut(1)])).content).toEqual(content.slice(1));
    const said: MessageParam = { role: 'assistant', content: rest.content };
    const read = [user('Go.'), cut(2), result('a', 'A'), said, result('b', 'B')];
    expect(await textOf(model, read)).toBe('Read.');
    expect(await textOf(model, [user('Go.'), cut(2), result('a', 'A'), user('Stop.')])).toBe(
      'Read.',
    );
  });

  it('goes on where it was after its conversation was summed up, twice', async () => {
    const turns = [
      says('one'),
      says('mending', { when: { user: '^Mend' } }),
      says('two'),
      says('three', { when: { user: '^Go' } }),
      says('four'),
      says('five'),
    ];
    const model = modelOf(turns, { contextWindow: 9_000, maxTokens: 1_000 });
    expect([model.contextWindow, model.maxTokens]).toEqual([9_000, 1_000]);
    const sumUp = (messages: readonly MessageParam[]) =>
      textOf(model, [...messages, toCompactionPrompt()]);
    const old = [user('Go.'), assistant('one'), user('On.'), assistant('two'), user('Go on.')];
    const kept = [assistant('three'), user('More.')];
    const text = await sumUp([...old, ...kept]);
    const summed = [toSummaryMessage({ text, replies: 2 }), ...kept];
    expect(await textOf(model, summed)).toBe('four');
    const again = await sumUp([...summed, assistant('four'), user('More.')]);
    const twice = [toSummaryMessage({ text: again, replies: 3 }), assistant('four'), user('More.')];
    expect(await textOf(modelOf(turns), twice)).toBe('five');
  });

  it('counts the replies that another model has summed up', async () => {
    const model = modelOf([says('one'), says('two'), says('three')]);
    const summary = toSummaryMessage({ text: 'It was said.', replies: 1 });
    expect(await textOf(model, [summary, user('More.')])).toBe('two');
  });

  it('says plainly that the script has ended', async () => {
    const message = await ask(modelOf([says('one')]), [user('Go.'), assistant(), user('More.')]);
    expect(message.content).toEqual([
      text(
        'The script has ended: it has 1 turn, and none is left for this request. I am a scripted ' +
          'model and can only play a script: choose a real model to go on.',
      ),
    ]);
    expect(message.stop_reason).toBe('end_turn');
  });

  it('plays a turn of the task whose prompt a conversation has, from that prompt on', async () => {
    const model = createScriptedModel({
      script: {
        turns: [says('Main one.'), says('Main two.')],
        tasks: [
          { prompt: 'Look.', turns: [says('Looked.'), says('Looked again.')] },
          {
            prompt: 'Deeper.',
            turns: [{ blocks: [{ type: 'tool_use', name: 'Glob', input: {} }] }],
          },
        ],
      },
    });
    expect(await textOf(model, [user('Go.')])).toBe('Main one.');
    expect(await textOf(model, [user('Look.')])).toBe('Looked.');
    // A definition says something before it; a fork has its parent's conversation.
    const fork = [user('Go.'), assistant(), user('You are a fork.\n\nLook.'), assistant()];
    expect(await textOf(model, fork)).toBe('Looked again.');
    const inner = await ask(model, [...fork, user('Deeper.')]);
    expect(inner.content).toMatchObject([{ type: 'tool_use', id: 'toolu_scripted_t1_0_0' }]);
    expect(await textOf(model, [user('Go. Look.'), assistant()])).toBe('Main two.');
  });

  it('passes over turns that are meant for other prompts', async () => {
    const turns = [
      says('mending', { when: { user: 'mend' } }),
      says('mended', { when: { user: 'mend' } }),
      says('explaining', { when: { user: '^Explain' } }),
      says('anything'),
    ];
    const model = modelOf(turns);
    expect(await textOf(model, [user('Please mend it.')])).toBe('mending');
    expect(await textOf(model, [user('Explain it.')])).toBe('explaining');
    const mending = [user('Please mend it.'), assistant(), result('x', 'mended?')];
    expect(await textOf(model, mending)).toBe('mended');
    expect(await textOf(model, [...mending, assistant(), user('Why?')])).toBe('anything');
    expect(await textOf(model, [user('Explain it.'), assistant(), user('mend')])).toBe('anything');
  });

  it('takes no reminder for the prompt', async () => {
    const model = modelOf([says('mending', { when: { user: '^Mend' } }), says('anything')]);
    expect(await textOf(model, [user('Mend it.'), toSystemReminder('A tool came.')])).toBe(
      'mending',
    );
  });

  it('takes values out of earlier results, in text and anywhere in an input', async () => {
    const model = modelOf([
      {
        blocks: [
          text('{{last:/(\\d+) failed/}} of {{toolu_a:/\\d+/}} in {{toolu_a:/at ([/\\w.]+)/}}'),
          {
            type: 'tool_use',
            name: 'Edit',
            input: { deep: [{ path: '{{toolu_a:/at ([/\\w.]+)/}}:1' }], code: 'f({{ a }})', n: 1 },
          },
        ],
      },
    ]);
    const [said, call] = (
      await ask(model, [result('toolu_a', '12 tests at /src/$&.ts'), result('toolu_b', '3 failed')])
    ).content;
    expect(said).toEqual(text('3 of 12 in /src/'));
    expect(call).toMatchObject({
      input: { deep: [{ path: '/src/:1' }], code: 'f({{ a }})', n: 1 },
    });
  });

  it('puts a found value in as it is, whatever signs it has', async () => {
    const model = modelOf([says('<{{a:/.+/}}> {{a:/x/}}')]);
    expect(await textOf(model, [result('a', '$& {{a:/x/}} $1')])).toBe('<$& {{a:/x/}} $1> x');
  });

  it.each([
    ['toolu_a', /turn 0 wants \/x\+\/i of toolu_a, but \/x\+\/i matches nothing in the result/],
    ['toolu_z', /turn 0 wants \/x\+\/i of toolu_z, but there is no result of toolu_z/],
  ])('fails when %s has nothing to take', async (source, reason) => {
    const model = modelOf([says(`{{${source}:/x+/i}}`)]);
    await expect(ask(model, [result('toolu_a', 'none here')])).rejects.toMatchObject({
      code: 'model-protocol',
      message: expect.stringMatching(reason) as string,
      data: expect.objectContaining({ turn: 0, source, pattern: '/x+/i' }) as object,
    });
  });

  it('fails once where the script says so, then goes on', async () => {
    const model = modelOf([
      says('one'),
      { blocks: [], error: { code: 'model-overloaded', message: 'Too many.' } },
      says('two'),
      says('three'),
    ]);
    const conversation = [user('Go.'), assistant(), user('On.')];
    await expect(ask(model, conversation)).rejects.toMatchObject({
      code: 'model-overloaded',
      message: 'Too many.',
      data: { turn: 1 },
    });
    expect(await textOf(model, conversation)).toBe('two');
    expect(await textOf(model, [...conversation, assistant(), user('On.')])).toBe('three');
  });

  it('waits before each piece', async () => {
    const clock = createSkippingClock();
    const model = modelOf([says('123456789')], { delayMs: 40, chunkChars: 4, clock });
    expect(await textOf(model, [user('Go.')])).toBe('123456789');
    expect(clock.waits).toEqual([40, 40, 40]);
  });

  it('stops at once when it is aborted, also within a wait', async () => {
    const controller = new AbortController();
    const model = modelOf([says('long')], { delayMs: 100_000, clock: createSkippingClock() });
    const request = { system: [], tools: [], messages: [user('Go.')] };
    const events = model.stream(request, { signal: controller.signal })[Symbol.asyncIterator]();
    await events.next();
    await events.next();
    const waiting = events.next();
    controller.abort('enough');
    await expect(waiting).rejects.toMatchObject({ code: 'aborted', cause: 'enough' });
  });

  it.each([
    { script: { turns: [{}] } as unknown as Script },
    { script: { turns: [] }, chunkChars: 0 },
    { script: { turns: [] }, delayMs: -1 },
  ])('refuses %j', (options) => {
    expect(() => createScriptedModel(options)).toThrow(
      expect.objectContaining({ code: 'bad-usage' }) as Error,
    );
  });
});

it('counts as it reports: four characters a token', async () => {
  const model = modelOf([says('Hi')]);
  const request = { system: [], tools: [], messages: [user('Hello')] };
  const { usage } = await ask(model, request.messages);
  expect(await model.countTokens?.(request, { signal: never })).toBe(usage.input_tokens);
  expect(model.contextWindow).toBeUndefined();
});
