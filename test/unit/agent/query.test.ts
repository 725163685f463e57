import { describe, expect, it } from 'vitest';
import { query } from '../../../src/agent/query.ts';
import type { Query } from '../../../src/agent/query.ts';
import type { QueryOptions } from '../../../src/agent/query-options.ts';
import type { Host } from '../../../src/agent/host.ts';
import type { Executor } from '../../../src/core/tool/ports.ts';
import type { SDKMessage, SDKUserMessage } from '../../../src/core/messages/sdk-message.ts';
import type { Tool } from '../../../src/core/tool/tool.ts';
import { createVirtualClock } from '../../../src/hosts/inline/virtual-clock.ts';
import type { Model } from '../../../src/model/model.ts';
import type { ScriptTurn } from '../../../src/model/script.ts';
import { createScriptedModel } from '../../../src/model/scripted.ts';
import { createMemoryWorkspace } from '../../../src/workspace/memory-workspace.ts';
import { createFakeExecutor, doneReply } from '../../support/stages/fake-executor.ts';
import { changeTool, lookTool } from '../../support/stages/test-tools.ts';

const lookAt = (path: string): ScriptTurn => ({
  blocks: [{ type: 'tool_use', name: 'Look', input: { path } }],
});
const say = (text: string): ScriptTurn => ({ blocks: [{ type: 'text', text }] });
const play = (...turns: readonly ScriptTurn[]) => createScriptedModel({ script: { turns } });

async function host(changes: Partial<Host> = {}): Promise<Host> {
  const clock = createVirtualClock(1_000);
  return {
    kind: 'inline',
    workspace: await createMemoryWorkspace(),
    executor: createFakeExecutor(clock, () => ({ type: 'hang' })),
    clock,
    cwd: '/workspace',
    loadTools: () => Promise.resolve([lookTool(), changeTool()]),
    [Symbol.asyncDispose]: () => Promise.resolve(),
    ...changes,
  };
}

/** A host whose calls are done at once. */
async function quickHost(): Promise<Host> {
  const clock = { now: () => 1_000, after: () => ({ [Symbol.dispose]: () => undefined }) };
  const executor = {
    start: () => ({
      reply: Promise.resolve(doneReply('seen')),
      interrupt: () => undefined,
      isBehind: () => false,
      kill: () => undefined,
      discard: () => undefined,
    }),
  };
  return host({ clock, executor });
}

async function read(running: Query): Promise<SDKMessage[]> {
  const messages: SDKMessage[] = [];
  for await (const message of running) messages.push(message);
  return messages;
}

const kinds = (messages: readonly SDKMessage[]) =>
  messages.map((message) => ('subtype' in message ? message.subtype : message.type));

async function* prompts(...texts: readonly string[]): AsyncGenerator<SDKUserMessage, void> {
  for (const content of texts) {
    yield { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
  }
}

/** A model that says nothing until it is stopped. */
const silent: Model = {
  name: 'silent',
  apiKeySource: 'none',
  async *stream(_request, { signal }) {
    await new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(new DOMException('stopped', 'AbortError')));
    });
    yield { type: 'ping' };
  },
};

describe('query', () => {
  it('yields init first, what happens, and the result last; all of it is JSON', async () => {
    const options = {
      host: await quickHost(),
      model: play(lookAt('a'), say('All is well.')),
      sessionId: 's-1',
    };
    const messages = await read(query({ prompt: 'Look.', options }));
    expect(kinds(messages)).toEqual(['init', 'assistant', 'user', 'assistant', 'success']);
    expect(JSON.parse(JSON.stringify(messages))).toEqual(messages);
    const { uuid: _, ...init } = messages[0] as SDKMessage & { uuid: string };
    expect(init).toEqual({
      type: 'system',
      subtype: 'init',
      apiKeySource: 'none',
      cwd: '/workspace',
      tools: ['Change', 'Look'],
      mcp_servers: [],
      model: 'scripted',
      permissionMode: 'default',
      agents: ['general-purpose', 'Explore', 'Plan', 'fork'],
      slash_commands: [
        ...['agents', 'clear', 'compact', 'context', 'cost', 'goal', 'help', 'init', 'memory'],
        ...['plan', 'review', 'rewind', 'tasks'],
      ],
      output_style: 'default',
      skills: [],
      plugins: [],
      warnings: [],
      rockpool_version: '0.1.0',
      session_id: 's-1',
    });
    expect(messages[4]).toMatchObject({
      type: 'result',
      is_error: false,
      result: 'All is well.',
      stop_reason: 'end_turn',
      num_turns: 2,
      permission_denials: [],
      terminal_reason: 'completed',
      total_cost_usd: 0,
      modelUsage: { scripted: expect.objectContaining({ costBasis: 'unknown' }) },
    });
    expect(new Set(messages.map((message) => message.session_id))).toEqual(new Set(['s-1']));
  });

  it('answers one prompt after the other, with one init and a result each', async () => {
    const options = { host: await quickHost(), model: play(say('One.'), say('Two.')) };
    const messages = await read(query({ prompt: prompts('1', '2'), options }));
    expect(kinds(messages)).toEqual(['init', 'assistant', 'success', 'assistant', 'success']);
    const results = messages.flatMap((message) =>
      message.type === 'result' && message.subtype === 'success' ? [message.result] : [],
    );
    expect(results).toEqual(['One.', 'Two.']);
  });

  it('yields the model’s events when it is asked to', async () => {
    const options = {
      host: await quickHost(),
      model: play(say('Hi.')),
      includePartialMessages: true,
    };
    const messages = await read(query({ prompt: 'x', options }));
    const events = messages.flatMap((message) =>
      message.type === 'stream_event' ? [message.event.type] : [],
    );
    expect([events.at(0), events.at(-1)]).toEqual(['message_start', 'message_stop']);
  });

  it('gives the model’s failure as an error result, with the sentence', async () => {
    const error = { code: 'model-authentication', message: 'The key was refused.' } as const;
    const options = { host: await quickHost(), model: play({ blocks: [], error }, say('Now.')) };
    const messages = await read(query({ prompt: prompts('1', '2'), options }));
    expect(messages[1]).toMatchObject({
      type: 'result',
      subtype: 'error_during_execution',
      is_error: true,
      errors: ['The key was refused.'],
      error_code: 'model-authentication',
      terminal_reason: 'api_error',
    });
    // The conversation goes on.
    expect(messages.at(-1)).toMatchObject({ subtype: 'success', result: 'Now.' });
  });

  it('tells of the model’s retries and of a call’s progress', async () => {
    const clock = createVirtualClock(1_000);
    const reply = doneReply('seen');
    const executor: Executor = {
      start: (_request, onProgress) => {
        clock.advance(1_500);
        onProgress({ found: 3 });
        return {
          reply: Promise.resolve(reply),
          interrupt: () => undefined,
          isBehind: () => false,
          kill: () => undefined,
          discard: () => undefined,
        };
      },
    };
    const scripted = play(lookAt('a'), say('x'));
    const error = {
      name: 'SdkError',
      message: 'Busy.',
      code: 'model-overloaded',
      data: {},
    } as const;
    const model: Model = {
      ...scripted,
      stream: (request, options) => {
        options.onRetry?.({ attempt: 1, maxRetries: 3, delayMs: 500, status: 529, error });
        return scripted.stream(request, options);
      },
    };
    const options = { host: await host({ clock, executor }), model };
    const messages = await read(query({ prompt: 'x', options }));
    expect(
      messages.find((message) => 'subtype' in message && message.subtype === 'api_retry'),
    ).toMatchObject({
      attempt: 1,
      max_retries: 3,
      retry_delay_ms: 500,
      error_status: 529,
      error: 'model-overloaded',
    });
    expect(messages.find((message) => message.type === 'tool_progress')).toMatchObject({
      tool_name: 'Look',
      elapsed_time_seconds: 1.5,
      progress: { found: 3 },
    });
  });

  it('stops at maxTurns', async () => {
    const options = { host: await quickHost(), model: play(lookAt('a'), say('x')), maxTurns: 1 };
    const messages = await read(query({ prompt: 'x', options }));
    expect(messages.at(-1)).toMatchObject({
      subtype: 'error_max_turns',
      errors: ['The task was not finished within 1 request (maxTurns).'],
      terminal_reason: 'max_turns',
    });
  });

  it('takes tools by name and of the caller’s own', async () => {
    const own = lookTool({ name: 'Own' });
    const options = { host: await quickHost(), model: play(say('x')), tools: ['Look', own] };
    const [init] = await read(query({ prompt: 'x', options }));
    expect(init).toMatchObject({ tools: ['Look', 'Own'] });
  });

  it('takes another mode and another model for what comes next', async () => {
    const options = { host: await quickHost(), model: play(say('One.')) };
    const running = query({ prompt: prompts('1', '2'), options });
    const results: string[] = [];
    for await (const message of running) {
      if (message.type !== 'result' || message.subtype !== 'success') continue;
      results.push(message.result);
      await running.setModel(play(say('skipped'), say('Other.')));
    }
    expect(results).toEqual(['One.', 'Other.']);
    await expect(running.setPermissionMode('nonsense' as never)).rejects.toThrow(
      '"nonsense" is not a permission mode.',
    );
  });
});

describe('query, stopped', () => {
  it('ends the turn with an error result at interrupt, and takes the next prompt', async () => {
    const options: QueryOptions = { host: await host(), model: silent };
    const running = query({ prompt: prompts('1', '2'), options });
    const messages: SDKMessage[] = [];
    expect((await running.next()).value).toMatchObject({ subtype: 'init' });
    const next = running.next();
    await turnOfTasks();
    await running.interrupt();
    await running.setModel(play(say('Fine.')));
    messages.push((await next).value as SDKMessage);
    messages.push(...(await read(running)));
    expect(messages[0]).toMatchObject({
      subtype: 'error_during_execution',
      errors: ['Stopped before the task was finished.'],
      terminal_reason: 'aborted_streaming',
    });
    expect(messages.at(-1)).toMatchObject({ subtype: 'success', result: 'Fine.' });
  });

  it('cuts the calls that run when its reader leaves', async () => {
    const clock = createVirtualClock();
    const executor = createFakeExecutor(clock, () => ({
      type: 'reply',
      afterMs: 1e6,
      reply: doneReply('x'),
    }));
    const options = { host: await host({ clock, executor }), model: play(lookAt('a')) };
    for await (const message of query({ prompt: 'x', options })) {
      if (message.type === 'tool_progress') break;
    }
    expect([executor.running(), executor.cuts]).toEqual([
      [],
      [[executor.started[0]?.callId, 'interrupt']],
    ]);
    expect(clock.pending()).toBe(0);
  });

  it('ends with its abortController, after an error result', async () => {
    const abortController = new AbortController();
    // It is aborted by the model that is asked: before that no turn may run yet.
    const model: Model = {
      ...silent,
      stream(...args) {
        setTimeout(() => abortController.abort());
        return silent.stream(...args);
      },
    };
    const options = { host: await host(), model, abortController };
    const running = query({ prompt: prompts('1', '2'), options });
    expect(kinds(await read(running))).toEqual(['init', 'error_during_execution']);
  });

  it('ends well where the prompts can not be closed', async () => {
    const waiting: AsyncIterable<SDKUserMessage> = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise(() => {}),
        return: () => Promise.reject(new Error('out of order')),
      }),
    };
    const running = query({ prompt: waiting, options: { host: await host(), model: silent } });
    await running.next();
    running.close();
    expect(await running.next()).toEqual({ done: true, value: undefined });
  });

  it('ends at close, also while it waits for a prompt', async () => {
    const never: AsyncIterable<SDKUserMessage> = {
      [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }),
    };
    const running = query({
      prompt: never,
      options: { host: await host(), model: silent },
    });
    const reading = read(running);
    await turnOfTasks();
    running.close();
    expect(kinds(await reading)).toEqual(['init']);
  });
});

describe('query, at the door', () => {
  it.each<[string, Partial<QueryOptions>, string]>([
    ['a mode', { permissionMode: 'yolo' as never }, '"yolo" is not a permission mode.'],
    ['a rule', { allowedTools: ['Edit('] }, '"Edit(" is not a permission rule.'],
    ['a rule on a shell', { disallowedTools: ['Bash(rm *)'] }, 'there is no shell here'],
    [
      'a list of rules',
      { allowedTools: 'Edit' as never },
      'The rules that should allow are no list.',
    ],
    ['no rule', { disallowedTools: [null as never] }, '"null" is not a permission rule.'],
    [
      'settings',
      { settings: { permissions: null as never } },
      'permissions of settings is an object',
    ],
    ['a policy', { managedSettings: { permissions: { deny: {} as never } } }, 'are no list'],
    ['maxTurns', { maxTurns: 0 }, 'maxTurns must be a whole number above 0'],
    ['an id', { sessionId: '../x' }, '"../x" can\'t be a session\'s id'],
  ])('refuses %s that can’t hold', async (_, options, message) => {
    const params = { prompt: 'x', options: { host: await host(), model: silent, ...options } };
    expect(() => query(params)).toThrow(message);
  });

  it('refuses another name for a tool that there is not, with the first message', async () => {
    const options = { host: await host(), model: silent, toolAliases: { Bash: 'Lok' } };
    await expect(read(query({ prompt: 'x', options }))).rejects.toThrow(
      'This host has no tool named Lok. Did you mean Look?',
    );
  });

  it.each<[string, unknown, string]>([
    ['', lookTool({ name: '' }), ''],
    ['with a space', lookTool({ name: 'my tool' }), 'my tool'],
    ['that is too long', lookTool({ name: 'x'.repeat(129) }), 'x'.repeat(129)],
    ['that is none', lookTool({ name: 7 as never }), '7'],
    ['of nothing', undefined, 'undefined'],
  ])('refuses a tool by the name %s, with the first message', async (_, tool, name) => {
    const options = { host: await host(), model: silent, tools: ['Look', tool as Tool] };
    await expect(read(query({ prompt: 'x', options }))).rejects.toThrow(
      `A tool is named "${name}". A name has 1 to 128 letters, digits, "_" and "-".`,
    );
  });

  it('refuses an empty prompt', async () => {
    const options = { host: await host(), model: silent };
    expect(() => query({ prompt: '', options })).toThrow(
      'The prompt is empty. Say what is to be done.',
    );
  });

  it.each<[readonly (string | Tool)[], string]>([
    [['Lok'], 'This host has no tool named Lok. Did you mean Look?'],
    [['Look', lookTool()], 'Two tools are named Look.'],
    [
      [{ name: 'add', handler: () => {} } as never],
      "createSdkMcpServer({ name: 'mine', tools: [add] })",
    ],
    [[{ name: 'add', call: () => {} } as never], 'Make it by buildTool.'],
  ])('refuses tools that it can’t offer', async (tools, message) => {
    const options = { host: await host(), model: silent, tools };
    await expect(query({ prompt: 'x', options }).next()).rejects.toThrow(message);
  });
});

/** Lets everything happen that waits for nothing but its turn. */
async function turnOfTasks(): Promise<void> {
  for (let turn = 0; turn < 200; turn += 1) await Promise.resolve();
}
