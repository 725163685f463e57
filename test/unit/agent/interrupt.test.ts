// What whoever interrupts a turn is told that it had done.
import * as z from 'zod';
import { expect, it } from 'vitest';
import { openSession } from '../../../src/agent/open-session.ts';
import { query } from '../../../src/agent/query.ts';
import { createDeferred } from '../../../src/core/async/deferred.ts';
import { buildTool } from '../../../src/core/tool/build-tool.ts';
import type { ToolDef } from '../../../src/core/tool/build-tool.ts';
import type { SDKMessage } from '../../../src/core/messages/sdk-message.ts';
import type { Tool } from '../../../src/core/tool/tool.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { createMemoryMedium } from '../../../src/workspace/drivers/memory.ts';
import { createDirectedModel } from '../../support/models/directed-model.ts';
import {
  openHost as openKeptHost,
  readUntil,
  silentModel,
} from '../../support/sessions/open-sessions.ts';
import { listModel, says } from '../../support/turns/play-turns.ts';
import { readAll } from '../../support/turns/run-hooked.ts';

const schema = z.strictObject({});

/** Waits until it is stopped, and says when it has begun. */
function waitTool(name: string, begun: () => void, isConcurrencySafe: boolean): Tool {
  return buildTool({
    name,
    inputSchema: schema,
    description: () => Promise.resolve('Waits.'),
    prompt: () => Promise.resolve(''),
    isConcurrencySafe: () => isConcurrencySafe,
    isReadOnly: () => true,
    mapToolResultToToolResultBlockParam: (_output: unknown, toolUseID: string) =>
      ({ type: 'tool_result', tool_use_id: toolUseID, content: '' }) as const,
    call: (_input, { abortController: { signal } }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('stopped')));
        begun();
      }),
  } satisfies ToolDef<typeof schema>) as unknown as Tool;
}

it('interrupt() tells what a call had changed by others, before it was cut', async () => {
  const host = await createInlineHost();
  const model = createDirectedModel();
  const { promise: hasBegun, resolve: begun } = createDeferred();
  const tool: Tool = {
    ...waitTool('Work', () => {}, false),
    call: async (_input, { abortController: { signal }, callTool }) => {
      await callTool('Write', { file_path: 'one.txt', content: 'x' });
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('stopped')));
        begun();
      });
    },
  };
  const tools = [...(await host.loadTools()), tool];
  const options = { host, model, tools, permissionMode: 'acceptEdits' } as const;
  const conversation = query({ prompt: 'Go.', options });
  const ended = readAll(conversation);
  (await model.next()).call({ id: 'a', name: 'Work', input: {} });
  await hasBegun;
  expect(await conversation.interrupt()).toEqual({
    still_queued: [],
    finished: [],
    cut: [{ tool_use_id: 'a', tool_name: 'Work' }],
    never_started: [],
    changes: [{ tool_use_id: expect.any(String), path: '/workspace/one.txt', type: 'write' }],
  });
  await ended;
  await host[Symbol.asyncDispose]();
});

it('interrupt() tells which prompts were sent and wait, and these come next', async () => {
  await using host = await createInlineHost();
  const model = createDirectedModel();
  const session = await openSession({ host, model });
  await session.send('First.');
  await model.next();
  const { uuid } = await session.send('Second.');
  expect(await session.interrupt()).toMatchObject({ still_queued: [uuid] });
  (await model.next()).say('Done.');
  const results: unknown[] = [];
  for await (const message of session.messages()) {
    if (message.type === 'result' && results.push(message.subtype) === 2) break;
  }
  expect(results).toHaveLength(2);
  await session.close();
});

it('interrupt() tells which calls were finished, cut and never started, and what was changed', async () => {
  const host = await createInlineHost();
  const model = createDirectedModel();
  const { promise: hasBegun, resolve: begun } = createDeferred();
  const tools = [...(await host.loadTools()), waitTool('Wait', begun, true)];
  const conversation = query({
    prompt: 'Go.',
    options: { host, model, tools: [...tools, waitTool('Later', begun, false)] },
  });
  void conversation.setPermissionMode('acceptEdits');
  const results: unknown[] = [];
  const ended = (async () => {
    for await (const message of conversation) {
      if (message.type === 'result') results.push(message.terminal_reason);
    }
  })();
  const write = (id: string, file_path: string) => ({
    id,
    name: 'Write',
    input: { file_path, content: 'x' },
  });
  (await model.next()).call(write('a', 'one.txt'), { id: 'b', name: 'Nothing', input: {} });
  (await model.next()).call(
    write('c', 'two.txt'),
    { id: 'd', name: 'Wait', input: {} },
    { id: 'e', name: 'Later', input: {} },
  );
  await hasBegun;
  expect(await conversation.interrupt()).toEqual({
    still_queued: [],
    finished: [
      { tool_use_id: 'a', tool_name: 'Write', is_error: false },
      { tool_use_id: 'b', tool_name: 'Nothing', is_error: true },
      { tool_use_id: 'c', tool_name: 'Write', is_error: false },
    ],
    cut: [{ tool_use_id: 'd', tool_name: 'Wait' }],
    never_started: [{ tool_use_id: 'e', tool_name: 'Later' }],
    changes: [
      { tool_use_id: 'a', path: '/workspace/one.txt', type: 'write' },
      { tool_use_id: 'c', path: '/workspace/two.txt', type: 'write' },
    ],
  });
  await ended;
  expect(results).toEqual(['aborted_tools']);
  expect(await conversation.interrupt()).toBeUndefined();
  await host[Symbol.asyncDispose]();
});

// The model answers whatever its signal says, as one does that hears an abort alone.
const stopped = {
  type: 'result',
  subtype: 'error_during_execution',
  terminal_reason: 'aborted_streaming',
};

it('a turn that is stopped before its first request sends none', async () => {
  await using host = await createInlineHost();
  const model = listModel('claude-test', [says('Too late.')]);
  const abortController = new AbortController();
  abortController.abort();
  const messages = await readAll(
    query({ prompt: 'Go.', options: { host, model, abortController } }),
  );
  expect(messages.at(-1)).toMatchObject({ ...stopped, num_turns: 0 });
  expect(model.requests).toHaveLength(0);
});

it('a prompt whose hook still thinks when the turn is stopped isn’t sent', async () => {
  await using host = await createInlineHost();
  const model = listModel('claude-test', [says('Too late.')]);
  const { promise: hasBegun, resolve: begun } = createDeferred();
  const think = () => {
    begun();
    return new Promise<never>(() => undefined);
  };
  const hooks = { UserPromptSubmit: [{ hooks: [think] }] };
  const conversation = query({ prompt: 'Go.', options: { host, model, hooks } });
  const ended = readAll(conversation);
  await hasBegun;
  await conversation.interrupt();
  expect((await ended).at(-1)).toMatchObject({ ...stopped, num_turns: 0 });
  expect(model.requests).toHaveLength(0);
});

it('a turn that is stopped while its request is written doesn’t send it', async () => {
  await using host = await createInlineHost();
  const model = listModel('claude-test', [says('Too late.')]);
  const abortController = new AbortController();
  const tool: Tool = {
    ...waitTool('Wait', () => {}, true),
    prompt: () => {
      abortController.abort();
      return Promise.resolve('');
    },
  };
  const options = { host, model, abortController, tools: [tool] };
  const messages = await readAll(query({ prompt: 'Go.', options }));
  expect(messages.at(-1)).toMatchObject(stopped);
  expect(model.requests).toHaveLength(0);
});

it('a turn that is interrupted while its session is opened sends no request', async () => {
  await using host = await createInlineHost();
  const model = listModel('claude-test', [says('Too late.')]);
  const { promise: hasBegun, resolve: begun } = createDeferred();
  let goOn = () => {};
  const held = new Promise<object>((resolve) => (goOn = () => resolve({})));
  const open = () => {
    begun();
    return held;
  };
  const hooks = { SessionStart: [{ hooks: [open] }] };
  const conversation = query({ prompt: 'Go.', options: { host, model, hooks } });
  const ended = readAll(conversation);
  await hasBegun;
  expect(await conversation.interrupt()).toBeUndefined();
  goOn();
  expect((await ended).at(-1)).toMatchObject({ ...stopped, num_turns: 0 });
  expect(model.requests).toHaveLength(0);
});

it('a query with one prompt that is interrupted in a turn before it doesn’t answer it, either', async () => {
  await using host = await createInlineHost();
  const model = listModel('claude-test', [says('To the first.'), says('Too late.')]);
  const first = { hookEventName: 'SessionStart', initialUserMessage: 'First.' } as const;
  const hooks = { SessionStart: [{ hooks: [async () => ({ hookSpecificOutput: first })] }] };
  const conversation = query({ prompt: 'Go.', options: { host, model, hooks } });
  const messages: SDKMessage[] = [];
  for await (const message of conversation) {
    messages.push(message);
    if (message.type === 'system' && message.subtype === 'init') void conversation.interrupt();
  }
  const results = messages.filter(({ type }) => type === 'result');
  expect(results).toMatchObject([
    { ...stopped, num_turns: 0 },
    { ...stopped, num_turns: 0 },
  ]);
  expect(model.requests).toHaveLength(0);
});

it('a query with one prompt that is interrupted leaves the prompts of an earlier opening', async () => {
  const medium = createMemoryMedium();
  const first = await openKeptHost(medium);
  const killed = await openSession({ host: first, model: silentModel });
  await killed.send('Think for long.');
  await killed.send('And then?');
  await readUntil(killed, (one) => one.type === 'user');

  await using host = await openKeptHost(medium);
  const model = listModel('claude-test', [says('Then this.')]);
  const options = { host, model, resume: killed.id };
  const conversation = query({ prompt: 'Go.', options });
  const messages: SDKMessage[] = [];
  for await (const message of conversation) {
    messages.push(message);
    if (message.type === 'system' && message.subtype === 'init') void conversation.interrupt();
  }
  const results = messages.filter(({ type }) => type === 'result');
  expect(results).toMatchObject([stopped, stopped]);
  expect(model.requests).toHaveLength(0);

  const nothing = (async function* () {})();
  const later = await readAll(query({ prompt: nothing, options }));
  expect(later.at(-1)).toMatchObject({ result: 'Then this.' });
  expect(JSON.stringify(model.requests[0]?.messages.at(-1))).toContain('And then?');
});

it('a query that is closed before it is read leaves nothing at its caller’s signal', async () => {
  await using host = await createInlineHost();
  const abortController = new AbortController();
  const { signal } = abortController;
  const listening: unknown[] = [];
  const { addEventListener, removeEventListener } = signal;
  Object.assign(signal, {
    addEventListener(...given: Parameters<typeof addEventListener>) {
      listening.push(given[1]);
      addEventListener.apply(signal, given);
    },
    removeEventListener(...given: Parameters<typeof removeEventListener>) {
      listening.splice(listening.indexOf(given[1]), 1);
      removeEventListener.apply(signal, given);
    },
  });
  const model = listModel('claude-test', []);
  const conversation = query({ prompt: 'Go.', options: { host, model, abortController } });
  expect(listening).toHaveLength(1);
  conversation.close();
  expect(listening).toHaveLength(0);
});
