// How one turn goes: what is sent, what is told, when it ends. The claim about calls is in
// loop-settles.test.ts.
import { describe, expect, it, vi } from 'vitest';
import { runTurn } from '../../../../src/agent/turn/loop.ts';
import type { TurnOptions } from '../../../../src/agent/calls/turn.ts';
import { createDeferred } from '../../../../src/core/async/deferred.ts';
import type {
  ContentBlock,
  ToolResultBlock,
  ToolUseBlock,
} from '../../../../src/core/messages/blocks.ts';
import { toSystemReminder } from '../../../../src/core/messages/system-reminder.ts';
import { SdkError } from '../../../../src/core/errors.ts';
import type { AssistantMessage, ModelEvent } from '../../../../src/core/messages/messages.ts';
import type { SDKMessage } from '../../../../src/core/messages/sdk-message.ts';
import type { Tool } from '../../../../src/core/tool/tool.ts';
import type { Model, ModelRequest } from '../../../../src/model/model.ts';
import { createScriptedAnswers } from '../../../../src/hosts/inline/scripted-answers.ts';
import { toEvents } from '../../../../src/model/to-events.ts';
import { assistantMessage } from '../../../support/models/model-streams.ts';
import { createTestSession } from '../../../support/stages/test-session.ts';
import type { TestSessionOptions } from '../../../support/stages/test-session.ts';
import { changeTool, lookTool } from '../../../support/stages/test-tools.ts';

type Turn = AssistantMessage | ((request: ModelRequest) => AsyncIterable<ModelEvent>);

/** A model that answers with these, and remembers what it was asked. */
function modelOf(turns: readonly Turn[]): Model & { readonly requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  return {
    name: 'test',
    apiKeySource: 'none',
    requests,
    stream: (request) => {
      const turn = turns[requests.length];
      // The array is the session's own: what it held at this moment is what counts.
      requests.push({ ...request, messages: [...request.messages] });
      if (turn === undefined) throw new SdkError('model-server', 'The test has no more turns.');
      return typeof turn === 'function' ? turn(request) : whole(turn);
    },
  };
}

async function* whole(message: AssistantMessage): AsyncGenerator<ModelEvent, void> {
  yield* toEvents(message);
}

const says = (text: string, stop_reason = 'end_turn') =>
  assistantMessage([{ type: 'text', text }], { stop_reason });
const asks = (...blocks: readonly ContentBlock[]) =>
  assistantMessage(blocks, { stop_reason: 'tool_use' });
const callOf = (id: string, name = 'Look'): ToolUseBlock => ({
  type: 'tool_use',
  id,
  name,
  input: { path: id },
});

/** A tool that answers with its path, on this thread. */
const look = (changes: Partial<Tool> = {}): Tool => {
  const { runsIn: _, ...rest } = lookTool() as Tool & { runsIn: 'worker' };
  return { ...rest, call: async (input) => ({ data: `saw ${String(input['path'])}` }), ...changes };
};

async function run(
  turns: readonly Turn[],
  options: TestSessionOptions = {},
  turnOptions: Partial<TurnOptions> = {},
) {
  const model = modelOf(turns);
  const messages: SDKMessage[] = [];
  const emit = (message: SDKMessage) => void messages.push(message);
  const session = await createTestSession({ tools: [look()], ...options, model, emit });
  const result = await runTurn(
    session,
    { role: 'user', content: 'Go.' },
    {
      includePartialMessages: false,
      signal: new AbortController().signal,
      ...turnOptions,
    },
  );
  return { result, session, messages, requests: model.requests };
}

const result = (id: string, content: string, is_error?: true) => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
  ...(is_error && { is_error }),
});

describe('runTurn', () => {
  it('answers calls with their results in the next request, until the model rests', async () => {
    const {
      session,
      requests,
      result: turn,
    } = await run([asks(callOf('a'), callOf('b')), says('Done.')]);
    expect(session.messages).toEqual([
      { role: 'user', content: 'Go.' },
      { role: 'assistant', content: [callOf('a'), callOf('b')] },
      { role: 'user', content: [result('a', 'saw a'), result('b', 'saw b')] },
      { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
    ]);
    expect(requests.map(({ messages }) => messages.length)).toEqual([1, 3]);
    expect(turn).toEqual({
      end: { type: 'completed', message: says('Done.') },
      steps: 2,
      denials: [],
    });
  });

  it('keeps the text before a call that max_tokens cut, never runs the call and tells why', async () => {
    const call = vi.fn();
    const whole = assistantMessage([{ type: 'text', text: 'I look.' }, callOf('a')], {
      stop_reason: 'max_tokens',
    });
    const cut = async function* () {
      // Without the end of the call's block.
      for (const event of toEvents(whole)) {
        if (event.type !== 'content_block_stop' || event.index !== 1) yield event;
      }
    };
    const { session } = await run([cut, says('Done.')], { tools: [look({ call })] });
    expect(session.messages.slice(1, 3)).toEqual([
      { role: 'assistant', content: [{ type: 'text', text: 'I look.' }] },
      toSystemReminder(
        'Your message reached the limit of 5 output tokens within this call of Look, so it was not run. The same call would be cut off again: send less in one call. Write a long text in parts, the first with one call and each further part with another.',
      ),
    ]);
    expect(call).not.toHaveBeenCalled();
  });

  it('offers the tools in an order that never changes, with a breakpoint after the last', async () => {
    const tools = [look({ name: 'b' }), look({ name: 'Z' }), look({ name: 'a' })];
    const { requests } = await run([says('Hi.')], { tools });
    expect(requests[0]?.tools.map(({ name }) => name)).toEqual(['Z', 'a', 'b']);
    expect(requests[0]?.breakpoints?.tool).toBe(2);
  });

  it('spills the largest results of a message that has too many, and never changes what was sent', async () => {
    const tool = look({
      maxResultSizeChars: 100_000,
      call: async (input) => ({ data: 'x'.repeat(Number(input['path'])) }),
    });
    const { requests } = await run(
      [asks(callOf('60000'), callOf('90000'), callOf('70000')), asks(callOf('100')), says('Done.')],
      { tools: [tool] },
    );
    const answer = requests[1]?.messages[2]?.content as readonly ToolResultBlock[];
    expect(answer.map(({ content }) => String(content).length < 10_000)).toEqual([
      false,
      true,
      false,
    ]);
    expect(requests[2]?.messages.slice(0, 3)).toEqual(requests[1]?.messages);
  });

  it('starts calls while the message still streams', async () => {
    const { promise: started, resolve: start } = createDeferred();
    const tool = look({
      call: async () => {
        start();
        return { data: 'early' };
      },
    });
    async function* slow(): AsyncGenerator<ModelEvent, void> {
      for (const event of toEvents(asks(callOf('a'), { type: 'text', text: 'more' }))) {
        // The call must start before its message ends, or this never does.
        if (event.type === 'message_delta') await started;
        yield event;
      }
    }
    const { session } = await run([slow, says('Done.')], { tools: [tool] });
    expect(session.messages[2]).toEqual({ role: 'user', content: [result('a', 'early')] });
  });

  it('tells of results in the order of the calls, each with its output as data', async () => {
    let finish: () => void = () => undefined;
    const tool = look({
      call: async (input) => {
        if (input['path'] === 'a') await new Promise<void>((resolve) => (finish = resolve));
        else finish();
        return { data: { saw: input['path'] } };
      },
    });
    const { messages } = await run([asks(callOf('a'), callOf('b')), says('Done.')], {
      tools: [tool],
    });
    expect(messages.map((message) => message.type)).toEqual([
      'assistant',
      'user',
      'user',
      'assistant',
    ]);
    expect(
      messages.flatMap((message) => (message.type === 'user' ? [message.tool_use_result] : [])),
    ).toEqual([{ saw: 'a' }, { saw: 'b' }]);
  });

  it('passes a tool’s own messages on after the results', async () => {
    const note = { role: 'user', content: 'A note.' } as const;
    const tool = look({ call: async () => ({ data: 'x', newMessages: [note] }) });
    const { requests } = await run([asks(callOf('a')), says('Done.')], { tools: [tool] });
    expect(requests[1]?.messages.slice(2)).toEqual([
      { role: 'user', content: [result('a', 'x')] },
      note,
    ]);
  });

  it('goes on after pause_turn with what was said so far', async () => {
    const { requests, result: turn } = await run([says('Wait', 'pause_turn'), says('Done.')]);
    expect(requests[1]?.messages).toEqual([
      { role: 'user', content: 'Go.' },
      { role: 'assistant', content: [{ type: 'text', text: 'Wait' }] },
    ]);
    expect(turn.steps).toBe(2);
  });

  it('stops at a refusal, and at the limit of requests', async () => {
    const refused = await run([says('No.', 'refusal'), says('never')]);
    expect(refused.result.end).toMatchObject({ type: 'completed' });
    const limited = await run([asks(callOf('a')), says('never')], {}, { maxTurns: 1 });
    expect(limited.result.end).toEqual({ type: 'max-turns', maxTurns: 1 });
    expect(limited.session.messages).toHaveLength(3);
  });

  it('sends no empty text back, which the API refuses', async () => {
    const { session } = await run([asks({ type: 'text', text: '' }, callOf('a')), says('')]);
    expect(session.messages.slice(1)).toEqual([
      { role: 'assistant', content: [callOf('a')] },
      { role: 'user', content: [result('a', 'saw a')] },
    ]);
  });

  it('passes blocks that it doesn’t know through untouched', async () => {
    const opaque = { type: 'server_tool_use', id: 's', name: 'web_search', input: {} };
    const { session } = await run([assistantMessage([opaque])]);
    expect(session.messages[1]).toEqual({ role: 'assistant', content: [opaque] });
  });
});

describe('runTurn, when the message breaks off', () => {
  async function* breaking(): AsyncGenerator<ModelEvent, void> {
    const events = [...toEvents(asks({ type: 'text', text: 'I look.' }, callOf('a'), callOf('b')))];
    const cutAt = events.findIndex(
      (event) => event.type === 'content_block_start' && event.index === 2,
    );
    for (const event of events.slice(0, cutAt + 1)) {
      yield event;
      for (let turn = 0; turn < 30; turn += 1) await Promise.resolve();
    }
    throw new SdkError('model-network', 'The connection was lost.');
  }

  it('ends with the error, keeps what was whole, and never runs what wasn’t', async () => {
    const seen: unknown[] = [];
    const tool = look({
      call: async (input) => {
        seen.push(input['path']);
        return { data: 'done' };
      },
    });
    const { result: turn, session, messages } = await run([breaking], { tools: [tool] });
    expect(turn.end).toMatchObject({ type: 'failed', error: { code: 'model-network' } });
    expect(seen).toEqual(['a']);
    expect(session.messages.slice(1)).toEqual([
      { role: 'assistant', content: [{ type: 'text', text: 'I look.' }, callOf('a')] },
      { role: 'user', content: [result('a', 'done')] },
    ]);
    expect(messages[0]).toMatchObject({ type: 'assistant', aborted: true });
  });

  it('tells nothing of a request that failed before it began', async () => {
    const { result: turn, session, messages } = await run([]);
    expect([turn.end.type, session.messages.length, messages]).toEqual(['failed', 1, []]);
  });

  it('drops the first attempt, calls included, when the message begins anew', async () => {
    async function* twice(): AsyncGenerator<ModelEvent, void> {
      const first = [...toEvents(asks(callOf('a'), callOf('b')))].slice(0, -2);
      yield* first;
      yield* toEvents(asks(callOf('c')));
    }
    const { session } = await run([twice, says('Done.')]);
    expect(session.messages.slice(1, 3)).toEqual([
      { role: 'assistant', content: [callOf('c')] },
      { role: 'user', content: [result('c', 'saw c')] },
    ]);
  });
});

describe('runTurn, when it is refused or stopped', () => {
  it('tells of a denial and goes on', async () => {
    const { canUseTool } = createScriptedAnswers(['deny']);
    const {
      messages,
      result: turn,
      session,
    } = await run([asks(callOf('a', 'Change')), says('Then not.')], {
      tools: [changeTool()],
      canUseTool,
    });
    expect(messages.map((message) => message.type)).toEqual([
      'assistant',
      'system',
      'user',
      'assistant',
    ]);
    expect(messages[1]).toMatchObject({
      subtype: 'permission_denied',
      tool_name: 'Change',
      tool_use_id: 'a',
      decision_reason_type: 'user',
      message: 'The user said no.',
    });
    expect(turn.denials).toEqual([
      { tool_name: 'Change', tool_use_id: 'a', tool_input: { path: 'a' } },
    ]);
    expect(session.messages[2]).toEqual({
      role: 'user',
      content: [result('a', 'The user said no.', true)],
    });
  });

  it('stops the turn at a refusal that says so, and never runs what stood behind it', async () => {
    const { canUseTool, asked } = createScriptedAnswers([
      { behavior: 'deny', message: 'Stop it.', interrupt: true },
    ]);
    const {
      result: turn,
      session,
      requests,
    } = await run([asks(callOf('a', 'Change'), callOf('b', 'Change'))], {
      tools: [changeTool()],
      canUseTool,
    });
    expect(turn.end).toEqual({ type: 'stopped', during: 'tools' });
    expect([asked.length, requests.length]).toEqual([1, 1]);
    expect(session.messages[2]).toEqual({
      role: 'user',
      content: [
        result('a', 'Stop it.', true),
        result(
          'b',
          'Change was stopped before it was finished. Nothing that it did was kept.',
          true,
        ),
      ],
    });
  });

  it('ends as failed when the request can’t be made, and says why', async () => {
    const tool = look({ description: () => Promise.reject(new SdkError('invalid-input', 'No.')) });
    const { result: turn } = await run([says('never')], { tools: [tool] });
    const message =
      "The tool Look could not say what it is for (SdkError: No.), so the model can't be asked. Mend it, or leave it out.";
    expect(turn.end).toMatchObject({ type: 'failed', error: { code: 'tool-failed', message } });
  });
});

describe('runTurn, with nested permission checks', () => {
  it('gives a tool the full check for what it wants done by another', async () => {
    const answers: unknown[] = [];
    const tool = look({
      call: async (_input, context, canUseTool) => {
        const { signal } = context.abortController;
        const check = (path: unknown) =>
          canUseTool('Change', { path } as never, { signal, toolUseID: 'n', requestId: 'r' });
        answers.push(await check('open'), await check('secret'), await check(3));
        return { data: 'x' };
      },
    });
    await run([asks(callOf('a')), says('Done.')], {
      tools: [tool, changeTool()],
      permissionMode: 'acceptEdits',
      disallowedTools: ['Edit(secret)'],
    });
    expect(answers).toEqual([
      { behavior: 'allow', updatedInput: { path: 'open' } },
      { behavior: 'deny', interrupt: false, message: expect.stringContaining('Edit(secret)') },
      { behavior: 'deny', interrupt: false, message: expect.stringContaining("isn't valid") },
    ]);
  });
});
