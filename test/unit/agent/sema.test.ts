// Sema Core's forms, one row each, and its events on a host's bus: through whole queries.
import { EventEmitter } from '../../support/sessions/event-emitter.ts';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { QueryOptions } from '../../../src/agent/query-options.ts';
import { adaptTool } from '../../../src/adapters/sema/adapt-tool.ts';
import type { SemaAgentContext, SemaTool } from '../../../src/adapters/sema/adapt-tool.ts';
import { connectEventBus } from '../../../src/adapters/sema/event-bus.ts';
import type { SDKMessage } from '../../../src/core/messages/sdk-message.ts';
import { createScriptedAnswers } from '../../../src/hosts/inline/scripted-answers.ts';
import { callTool, openHost, runHooked, toResults, write } from '../../support/turns/run-hooked.ts';

const inputSchema = z.strictObject({ city: z.string() });
type Input = z.output<typeof inputSchema>;

/** Says what the weather is, as Sema Core would have it said. */
const weather = (changes: Partial<SemaTool<Input, { degrees: number }>> = {}): SemaTool => ({
  name: 'Weather',
  description: 'Says what the weather is.',
  inputSchema,
  isReadOnly: () => true,
  genResultForAssistant: ({ degrees }) => `${degrees} degrees`,
  async *call() {
    yield { type: 'result', data: { degrees: 21 } };
  },
  ...changes,
});

const call = callTool('Weather', { city: 'Bern' });

async function run(
  tool: Parameters<typeof adaptTool>[0],
  options: Omit<QueryOptions, 'host' | 'model'> = {},
  turns = [call],
) {
  await using host = await openHost();
  const tools = [...(await host.loadTools()), adaptTool(tool)];
  return await runHooked(host, turns, { ...options, tools });
}

const outputs = (messages: readonly SDKMessage[]) =>
  messages.flatMap((message) =>
    message.type === 'user' && 'tool_use_result' in message ? [message.tool_use_result] : [],
  );

describe('a tool of Sema Core', () => {
  it.each<[string, Partial<SemaTool>, string]>([
    ['a plain string', { description: 'Says it.' }, 'Says it.'],
    ['a function', { description: () => 'Says it, too.' }, 'Says it, too.'],
    ['nothing, and then has its name', {}, 'Weather'],
  ])('may describe itself by %s', async (_, { description }, text) => {
    const { description: __, ...rest } = weather();
    const tool = adaptTool({ ...rest, ...(description !== undefined && { description }) });
    expect(await tool.description()).toBe(text);
  });

  it.each<[string, Partial<SemaTool<Input, { degrees: number }>>, string]>([
    ['by genResultForAssistant', {}, '21 degrees'],
    [
      'by the result itself, which overrides it',
      {
        async *call() {
          yield { type: 'result', data: { degrees: 21 }, resultForAssistant: 'Warm.' };
        },
      },
      'Warm.',
    ],
    [
      'by its first result alone',
      {
        async *call() {
          yield { type: 'result', data: { degrees: 1 } };
          yield { type: 'result', data: { degrees: 2 } };
        },
      },
      '1 degrees',
    ],
    [
      'by an error, where it yields none',
      { async *call() {} },
      'Weather ended without a result. Try another way.',
    ],
    [
      'by an error that it throws',
      {
        // oxlint-disable-next-line require-yield -- a generator is the form
        async *call() {
          throw new Error('No station.');
        },
      },
      'Weather failed unexpectedly: Error: No station.',
    ],
    [
      'by its own check of the input',
      { validateInput: async () => ({ result: false, message: 'No such city.', errorCode: 7 }) },
      'No such city. (error 7)',
    ],
    [
      'by its own check that says nothing',
      { validateInput: async () => undefined as never },
      'The tool refuses this input. (error 0)',
    ],
    [
      'by its own check that says neither yes nor no',
      { validateInput: async () => ({ result: 'no' as never }) },
      'The tool refuses this input. (error 0)',
    ],
    [
      'whatever it yields before',
      {
        async *call() {
          yield undefined as never;
          yield { type: 'result', data: { degrees: 3 } };
        },
      },
      '3 degrees',
    ],
    ['after its own check', { validateInput: async () => ({ result: true }) }, '21 degrees'],
    [
      'from what it knows of the call',
      {
        async *call({ city }, { agentId, currentToolUseID }: SemaAgentContext) {
          const resultForAssistant = [city, agentId, currentToolUseID].join();
          yield { type: 'result', data: { degrees: 0 }, resultForAssistant };
        },
      },
      'Bern,main,call-0',
    ],
  ])('answers %s', async (_, changes, text) => {
    const { messages } = await run(weather(changes));
    expect(toResults(messages)).toEqual([text]);
  });

  it('may have the newer names, blocks for its result, and more after it', async () => {
    const { inputSchema: toolParams, isReadOnly: isSafe, ...rest } = weather();
    const text = { type: 'text', text: '21 degrees' } as const;
    const { messages, requests } = await run({
      ...rest,
      toolParams,
      isSafe,
      genResultForAssistant: () => [text],
      async *call() {
        const additionalBlocks = [{ type: 'text', text: 'A picture of it.' } as const];
        yield { type: 'result', data: { degrees: 21 }, additionalBlocks };
      },
    });
    expect(toResults(messages)).toEqual(['21 degrees']);
    expect(requests.at(-1)?.at(-1)).toEqual({
      role: 'user',
      content: [{ type: 'text', text: 'A picture of it.' }],
    });
  });

  it('shows its progress, and its data to hosts', async () => {
    const { messages } = await run(
      weather({
        async *call() {
          yield { type: 'progress', data: 'asking' };
          yield { type: 'result', data: { degrees: 21 } };
        },
      }),
    );
    const shown = messages.flatMap((m) => (m.type === 'tool_progress' ? [m.progress] : []));
    expect(shown).toEqual(['asking']);
    expect(outputs(messages)).toEqual([{ data: { degrees: 21 } }]);
  });

  it('that is not read-only is asked about in its own words', async () => {
    const { canUseTool, asked } = createScriptedAnswers(['deny', 'deny']);
    const ask = (changes: Partial<SemaTool>) =>
      run(weather({ isReadOnly: () => false, ...changes }), { canUseTool });
    await ask({ genToolPermission: ({ city }) => ({ title: `Ask ${city}`, content: { city } }) });
    await ask({ genToolPermission: () => ({ title: '', summary: 'In short.', content: 'Long.' }) });
    expect(asked.map(({ options: { title, description } }) => [title, description])).toEqual([
      ['Ask Bern', '{"city":"Bern"}'],
      ['Weather', 'In short.'],
    ]);
  });

  it('keeps what it gives when its turn is stopped, where it says that it can be interrupted', async () => {
    const abortController = new AbortController();
    const tool = weather({
      supportsInterrupt: () => true,
      async *call(_, { abortController: { signal } }) {
        const isAborted = new Promise((resolve) => signal.addEventListener('abort', resolve));
        abortController.abort();
        await isAborted;
        yield { type: 'result', data: { degrees: 7 }, resultForAssistant: 'So far: 7.' };
      },
    });
    const { messages } = await run(tool, { abortController });
    expect(toResults(messages)).toEqual(['So far: 7.']);
  });

  it('is closed when its turn is stopped', async () => {
    const abortController = new AbortController();
    let isClosed = false;
    const tool = weather({
      async *call(_, { abortController: { signal } }) {
        try {
          const isAborted = new Promise((resolve) => signal.addEventListener('abort', resolve));
          abortController.abort();
          await isAborted;
          yield { type: 'progress', data: 'never' };
        } finally {
          isClosed = true;
        }
      },
    });
    await run(tool, { abortController });
    expect(isClosed).toBe(true);
  });
});

describe('a tool of Sema Core that reads the network', () => {
  it('is asked about where it says so, and its results count as text from outside', async () => {
    const { canUseTool, asked } = createScriptedAnswers(['allow', 'deny']);
    const again = { blocks: call.blocks.map((block) => ({ ...block, id: 'call-1' })) };
    await run(weather({ isOpenWorld: () => true }), { canUseTool, egress: 'ask' }, [call, again]);
    expect(asked.map(({ options }) => options.decisionReason)).toEqual([
      'nothing allows Weather for this yet',
      "text from outside came into this conversation by Weather, and the host's policy guards what may go out after that",
    ]);
  });
});

describe('a generator that can not be closed', () => {
  it.each<[string, () => unknown]>([
    ['rejects', () => Promise.reject(new Error('out of order'))],
    [
      'throws',
      () => {
        throw new Error('out of order');
      },
    ],
    ['gives no promise', () => undefined],
  ])('has answered all the same where it %s', async (_, close) => {
    const broken = {
      next: () => Promise.resolve({ done: false, value: { type: 'result', data: { degrees: 1 } } }),
      return: close,
      [Symbol.asyncIterator]: () => broken,
    };
    const { messages } = await run(weather({ call: () => broken as never }));
    expect(toResults(messages)).toEqual(['1 degrees']);
  });
});

describe('the event bus', () => {
  type Answer = { toolId?: unknown; selected: unknown };

  async function runOnBus(
    answers: readonly Answer[],
    turns: Parameters<typeof runHooked>[1],
    options: Omit<QueryOptions, 'host' | 'model'> = {},
    tool: SemaTool = weather(),
  ) {
    await using host = await openHost();
    const bus = new EventEmitter();
    const events: [string, unknown][] = [];
    for (const name of ['tool:execution:complete', 'tool:execution:error']) {
      bus.on(name, (data) => void events.push([name, data]));
    }
    bus.on('tool:permission:request', (data) => {
      events.push(['tool:permission:request', data]);
      const { toolId } = data as { toolId: string };
      for (const answer of answers) bus.emit('tool:permission:response', { toolId, ...answer });
    });
    const tools = [...(await host.loadTools()), adaptTool(tool)];
    const connected = connectEventBus(bus, tools);
    const ran = await runHooked(host, turns, { ...connected, ...options, tools });
    return { ...ran, events, listeners: bus.count('tool:permission:response') };
  }

  it('has a question as an event, and what became of the call as another', async () => {
    const { events, messages, listeners } = await runOnBus(
      [{ selected: 'agree' }],
      [call],
      {},
      weather({
        isReadOnly: () => false,
        genToolPermission: ({ city }) => ({ title: `Ask ${city}`, content: { city } }),
        genToolResultMessage: ({ degrees }, input) => ({
          title: input?.city ?? '',
          summary: `${degrees} degrees`,
          content: 'Warm.',
        }),
      }),
    );
    const shared = { agentId: 'main', toolId: 'call-0', toolName: 'Weather' };
    const suggestion = 'Yes, and do not ask again in this session';
    expect(events).toEqual([
      [
        'tool:permission:request',
        {
          ...shared,
          title: 'Ask Bern',
          content: { city: 'Bern' },
          options: { agree: 'Yes', allow: suggestion, refuse: 'No' },
        },
      ],
      [
        'tool:execution:complete',
        { ...shared, title: 'Bern', summary: '21 degrees', content: 'Warm.' },
      ],
    ]);
    expect(toResults(messages)).toEqual(['21 degrees']);
    expect(listeners).toBe(0);
  });

  it.each<[string, readonly Answer[], string, number]>([
    ['agree: this once', [{ selected: 'agree' }], 'Made the new file', 2],
    ['allow: and what it suggests', [{ selected: 'allow' }], 'Made the new file', 1],
    ['refuse', [{ selected: 'refuse' }], 'The user refused Write.', 2],
    ['words for the model', [{ selected: 'Write c.txt.' }], 'The user said no: Write c.txt.', 2],
    [
      "another call's first",
      [{ toolId: 'other', selected: 'agree' }, { selected: 'refuse' }],
      'The user refused Write.',
      2,
    ],
    ['no text first', [{ selected: true }, { selected: 'refuse' }], 'The user refused Write.', 2],
    ['nothing', [], 'Stopped', 0],
  ])('takes the answer %s', async (_, answers, text, questions) => {
    const turns = [
      write('b.txt'),
      { blocks: write('c.txt').blocks.map((block) => ({ ...block, id: 'call-1' })) },
    ];
    const abortController = new AbortController();
    if (answers.length === 0) {
      // Nobody answers: the question goes with its turn, and its listener with it.
      const { listeners, result } = await runOnBus([], turns, {
        abortController,
        hooks: { Notification: [{ hooks: [async () => (abortController.abort(), {})] }] },
      });
      expect([result.subtype, listeners]).toEqual(['error_during_execution', 0]);
      return;
    }
    const { events, messages, listeners } = await runOnBus(answers, turns);
    expect(toResults(messages)[0]).toContain(text);
    const asked = events.filter(([name]) => name === 'tool:permission:request');
    expect([asked.length, listeners]).toEqual([questions, 0]);
  });

  it('refuses, and keeps no listener, where one that it asks throws', async () => {
    await using host = await openHost();
    const bus = new EventEmitter();
    bus.on('tool:permission:request', () => {
      throw new Error('No window.');
    });
    const tools = await host.loadTools();
    const { messages } = await runHooked(host, [write('b.txt')], connectEventBus(bus, tools));
    expect(toResults(messages)[0]).toContain('Asking failed: Error: No window.');
    expect(bus.count('tool:permission:response')).toBe(0);
  });

  it('has no event for the end of a call that never ran', async () => {
    const { events, messages } = await runOnBus(
      [{ selected: 'refuse' }],
      [call, callTool('Weather', { city: 1 }, 'call-1')],
      {},
      weather({ isReadOnly: () => false }),
    );
    expect(events.map(([name]) => name)).toEqual(['tool:permission:request']);
    expect(toResults(messages)).toHaveLength(2);
  });

  it('tells of a call that failed', async () => {
    const { events } = await runOnBus([], [callTool('Read', { file_path: 'none.txt' })]);
    expect(events).toMatchObject([
      ['tool:execution:error', { toolId: 'call-0', toolName: 'Read', title: 'Read' }],
    ]);
  });

  it('shows a result plainly where the tool has no words for it, or they fail', async () => {
    const fails = () => {
      throw new Error('No words.');
    };
    const { events } = await runOnBus([], [call], {}, weather({ genToolResultMessage: fails }));
    expect(events).toEqual([
      [
        'tool:execution:complete',
        {
          ...{ agentId: 'main', toolId: 'call-0', toolName: 'Weather' },
          ...{ title: 'Weather', summary: '', content: { data: { degrees: 21 } } },
        },
      ],
    ]);
  });
});
