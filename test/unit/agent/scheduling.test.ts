// The schedule's rules as a conversation shows them: what runs beside what, what is cut, and what the
// model is told. Each tool's work waits for the test.
import { describe, expect, it } from 'vitest';
import { createCallLimiter } from '../../../src/agent/calls/call-limiter.ts';
import type { CallLimiter, LimiterSeat } from '../../../src/agent/calls/call-limiter.ts';
import { createDeferred } from '../../../src/core/async/deferred.ts';
import { createMessageQueue } from '../../../src/core/async/message-queue.ts';
import { query } from '../../../src/agent/query.ts';
import type { QueryOptions } from '../../../src/agent/query-options.ts';
import { isToolResultBlock } from '../../../src/core/messages/blocks.ts';
import type { SDKMessage, SDKUserMessage } from '../../../src/core/messages/sdk-message.ts';
import type { Tool } from '../../../src/core/tool/tool.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { createDirectedModel } from '../../support/models/directed-model.ts';
import { lookTool } from '../../support/stages/test-tools.ts';

/** Calls that run until the test ends them, in the order of their starting. */
function createWork() {
  const running = new Map<string, { end(): void; fail(): void }>();
  const started: string[] = [];
  let wake: () => void = () => {};
  const tool = (name: string, changes: Partial<Tool> = {}): Tool => {
    const { runsIn: _, ...rest } = lookTool() as Tool & { runsIn: 'worker' };
    return {
      ...rest,
      name,
      call: ({ path }, { abortController: { signal } }) =>
        new Promise((resolve, reject) => {
          const id = String(path);
          const over = (settle: () => void) => () => {
            running.delete(id);
            settle();
          };
          running.set(id, {
            end: over(() => resolve({ data: `${id} is done` })),
            fail: over(() => reject(new Error(`${id} failed`))),
          });
          signal.addEventListener('abort', () => running.get(id)?.fail());
          started.push(id);
          wake();
        }),
      ...changes,
    };
  };
  return {
    tool,
    started,
    running: () => [...running.keys()],
    async whenStarted(count: number) {
      while (started.length < count) await new Promise<void>((resolve) => void (wake = resolve));
    },
    end: (id: string) => running.get(id)?.end(),
    fail: (id: string) => running.get(id)?.fail(),
  };
}

const callOf = (name: string, path: string) => ({ id: path, name, input: { path } });

/** What the model was told of each call, by its id. */
function resultsOf(messages: readonly SDKMessage[]): Record<string, string> {
  const blocks = messages.flatMap((message) =>
    message.type === 'user' && typeof message.message.content !== 'string'
      ? message.message.content.filter(isToolResultBlock)
      : [],
  );
  return Object.fromEntries(blocks.map(({ tool_use_id: id, content }) => [id, String(content)]));
}

async function converse(
  options: Omit<QueryOptions, 'host' | 'model'>,
  prompt: string | AsyncIterable<SDKUserMessage> = 'Go.',
) {
  const host = await createInlineHost();
  const model = createDirectedModel();
  const messages: SDKMessage[] = [];
  const conversation = query({ prompt, options: { ...options, host, model } });
  const ended = (async () => {
    for await (const message of conversation) messages.push(message);
    await host[Symbol.asyncDispose]();
  })();
  return { model, messages, ended, conversation };
}

describe('calls of one message', () => {
  it.each([true, false])(
    'tell who watches the stream (%s) that they wait, and when they go on',
    async (includePartialMessages) => {
      const work = createWork();
      const change = work.tool('Change', { isConcurrencySafe: () => false });
      const tools = [change, work.tool('Look')];
      const { model, messages, ended } = await converse({ tools, includePartialMessages });
      const asked = await model.next();
      asked.call(callOf('Change', 'a'), callOf('Change', 'b'));
      await work.whenStarted(1);
      work.end('a');
      await work.whenStarted(2);
      work.end('b');
      (await model.next()).say('Done.');
      await ended;
      const phases = messages.flatMap((message) =>
        message.type === 'tool_progress' ? [[message.tool_use_id, message.phase]] : [],
      );
      const told = [
        ['b', 'queued'],
        ['b', 'running'],
      ];
      expect(phases).toEqual(includePartialMessages ? told : []);
    },
  );

  it('are cut when a call beside them fails whose tool says so, and others go on after it', async () => {
    const work = createWork();
    const cell = work.tool('Cell', { cutsSiblings: true });
    const change = work.tool('Change', { isConcurrencySafe: () => false });
    const { model, messages, ended } = await converse({ tools: [cell, work.tool('Look'), change] });
    const asked = await model.next();
    asked.call(callOf('Cell', 'a'), callOf('Look', 'b'), callOf('Change', 'c'));
    await work.whenStarted(2);
    work.fail('a');
    await work.whenStarted(3);
    work.end('c');
    (await model.next()).say('Done.');
    await ended;
    expect(resultsOf(messages)).toEqual({
      a: expect.stringContaining('a failed'),
      b: 'Look was stopped because Cell beside it failed. Nothing that it did was kept.',
      c: 'c is done',
    });
  });

  it('go on beside one of another tool that fails', async () => {
    const work = createWork();
    const { model, messages, ended } = await converse({ tools: [work.tool('Look')] });
    (await model.next()).call(callOf('Look', 'a'), callOf('Look', 'b'));
    await work.whenStarted(2);
    work.fail('a');
    work.end('b');
    (await model.next()).say('Done.');
    await ended;
    expect(resultsOf(messages)['b']).toBe('b is done');
  });

  it('run no more at once than their tool, and the query, let them', async () => {
    const work = createWork();
    const tools = [work.tool('Look', { maxRunningCalls: 1 }), work.tool('See')];
    const { model, ended } = await converse({ tools, maxRunningCalls: 2 });
    const calls = ['a', 'b'].map((id) => callOf('Look', id));
    (await model.next()).call(...calls, ...['c', 'd'].map((id) => callOf('See', id)));
    await work.whenStarted(2);
    expect(work.running()).toEqual(['a', 'c']);
    work.end('c');
    await work.whenStarted(3);
    expect(work.running()).toEqual(['a', 'd']);
    work.end('a');
    await work.whenStarted(4);
    expect(work.running()).toEqual(['d', 'b']);
    work.end('d');
    work.end('b');
    (await model.next()).say('Done.');
    await ended;
  });
});

describe('a new prompt', () => {
  const prompts = () => createMessageQueue<SDKUserMessage>();
  const say = (content: string): SDKUserMessage => ({
    type: 'user',
    message: { role: 'user', content },
    parent_tool_use_id: null,
  });

  it('cuts a call whose tool says so, starts no other, and is answered next', async () => {
    const work = createWork();
    const queue = prompts();
    const sleep = work.tool('Sleep', { interruptBehavior: () => 'cancel' });
    const change = work.tool('Change', { isConcurrencySafe: () => false });
    const tools = [sleep, work.tool('Look'), change];
    const { model, messages, ended } = await converse({ tools }, queue);
    queue.push(say('Wait.'));
    (await model.next()).call(callOf('Sleep', 'a'), callOf('Look', 'b'), callOf('Change', 'c'));
    await work.whenStarted(2);
    queue.push(say('Go on.'));
    queue.end();
    // What doesn't say so is finished first.
    while (work.running().length > 1) await new Promise<void>((resolve) => setTimeout(resolve, 0));
    expect(work.running()).toEqual(['b']);
    work.end('b');
    const next = await model.next();
    expect(next.news).toContain('Go on.');
    next.say('Yes.');
    await ended;
    expect(resultsOf(messages)).toEqual({
      a: 'Sleep was stopped because the user spoke. Nothing that it did was kept.',
      b: 'b is done',
      c: 'Change was never started, because a call before it was refused or cut, or the user spoke.',
    });
    expect(work.started).toEqual(['a', 'b']);
    const ends = messages.flatMap((message) =>
      message.type === 'result' ? [message.terminal_reason] : [],
    );
    expect(ends).toEqual(['aborted_tools', 'completed']);
  });

  it('waits for the turn where no running call says so', async () => {
    const work = createWork();
    const queue = prompts();
    const { model, messages, ended } = await converse({ tools: [work.tool('Look')] }, queue);
    queue.push(say('Look.'));
    (await model.next()).call(callOf('Look', 'a'));
    await work.whenStarted(1);
    queue.push(say('And?'));
    queue.end();
    work.end('a');
    (await model.next()).say('Seen.');
    (await model.next()).say('And done.');
    await ended;
    expect(resultsOf(messages)).toEqual({ a: 'a is done' });
  });
});

describe("Sema's policy", () => {
  it('runs a message side by side only where every call of it reads', async () => {
    const work = createWork();
    const change = work.tool('Change', { isReadOnly: () => false, isConcurrencySafe: () => false });
    const tools = [work.tool('Look'), change];
    const options = { tools, schedulePolicy: 'sema', allowedTools: ['Change'] } as const;
    const { model, ended } = await converse(options);
    (await model.next()).call(callOf('Look', 'a'), callOf('Look', 'b'));
    await work.whenStarted(2);
    for (const id of ['a', 'b']) work.end(id);
    (await model.next()).call(callOf('Look', 'c'), callOf('Look', 'd'), callOf('Change', 'e'));
    for (const [count, id] of [
      [3, 'c'],
      [4, 'd'],
      [5, 'e'],
    ] as const) {
      await work.whenStarted(count);
      expect(work.running()).toEqual([id]);
      work.end(id);
    }
    (await model.next()).say('Done.');
    await ended;
  });

  it('asks each call in its turn, and none that changes something after a refusal', async () => {
    const work = createWork();
    const change = work.tool('Change', { isReadOnly: () => false });
    const questions: unknown[] = [];
    const { model, messages, ended } = await converse({
      tools: [work.tool('Look'), change],
      schedulePolicy: 'sema',
      canUseTool: async (_name, input) => {
        questions.push(input['path']);
        return { behavior: 'deny', message: 'No.' };
      },
    });
    (await model.next()).call(callOf('Change', 'a'), callOf('Change', 'b'), callOf('Look', 'c'));
    await work.whenStarted(1);
    work.end('c');
    (await model.next()).say('Done.');
    await ended;
    expect(questions).toEqual(['a']);
    expect(resultsOf(messages)).toEqual({
      a: 'No.',
      b: 'Change was never started, because a call before it was refused or cut, or the user spoke.',
      c: 'c is done',
    });
  });
});

describe('queries that share a limiter', () => {
  it('hold none of it while a person thinks about a call, under either policy', async () => {
    for (const schedulePolicy of ['default', 'sema'] as const) {
      const callLimiter = createCallLimiter(1);
      const work = createWork();
      const change = work.tool('Change', { isReadOnly: () => false });
      let answer: () => void = () => {};
      const { promise: asked, resolve: tellAsked } = createDeferred();
      const thinking = await converse({
        tools: [change],
        callLimiter,
        schedulePolicy,
        canUseTool: () =>
          new Promise((resolve) => {
            answer = () => resolve({ behavior: 'allow' });
            tellAsked();
          }),
      });
      (await thinking.model.next()).call(callOf('Change', 'a'));
      await asked;
      const other = await converse({ tools: [work.tool('Look')], callLimiter });
      (await other.model.next()).call(callOf('Look', 'b'));
      await work.whenStarted(1);
      expect(work.running()).toEqual(['b']);
      answer();
      work.end('b');
      await work.whenStarted(2);
      work.end('a');
      for (const { model } of [thinking, other]) (await model.next()).say('Done.');
      await Promise.all([thinking.ended, other.ended]);
    }
  });

  it('get permits in turn, though one asked for all of its own first', async () => {
    const limiter = createCallLimiter(2);
    let asked = 0;
    let wake: () => void = () => {};
    const callLimiter: CallLimiter = {
      sit() {
        const seat = limiter.sit();
        const take: LimiterSeat['take'] = (signal) => {
          asked += 1;
          wake();
          return seat.take(signal);
        };
        return { ...seat, take };
      },
    };
    const work = createWork();
    const tools = [work.tool('Look')];
    const first = await converse({ tools, callLimiter });
    const second = await converse({ tools, callLimiter });
    (await first.model.next()).call(...['a', 'b', 'c'].map((id) => callOf('Look', id)));
    await work.whenStarted(2);
    (await second.model.next()).call(...['x', 'y'].map((id) => callOf('Look', id)));
    while (asked < 5) await new Promise<void>((resolve) => void (wake = resolve));
    for (const [id, count] of [
      ['a', 3],
      ['b', 4],
      ['x', 5],
    ] as const) {
      work.end(id);
      await work.whenStarted(count);
    }
    expect(work.started.slice(2)).toEqual(['x', 'c', 'y']);
    for (const id of work.running()) work.end(id);
    for (const { model } of [first, second]) (await model.next()).say('Done.');
    await Promise.all([first.ended, second.ended]);
  });

  it.each([
    [{ maxRunningCalls: 0 }, 'maxRunningCalls must be a whole number above 0, not 0.'],
    [{ schedulePolicy: 'all' }, `schedulePolicy is 'default' or 'sema', not "all".`],
    [{ cacheTtl: '2h' }, `cacheTtl is '5m' or '1h', not "2h".`],
  ])('are refused with %j', async (options, message) => {
    const host = await createInlineHost();
    const model = createDirectedModel();
    const given = { ...options, host, model } as QueryOptions;
    expect(() => query({ prompt: 'Go.', options: given })).toThrow(message);
  });
});
