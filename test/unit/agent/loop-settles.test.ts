// The claim that stands above the loop, under random mixes of what can happen to a call and a turn.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createCallLimiter } from '../../../src/agent/calls/call-limiter.ts';
import type { CallLimiter } from '../../../src/agent/calls/call-limiter.ts';
import { runTurn } from '../../../src/agent/turn/loop.ts';
import type { TurnResult } from '../../../src/agent/turn/loop.ts';
import type { SchedulePolicy } from '../../../src/agent/calls/schedule.ts';
import type { Session } from '../../../src/agent/session/session.ts';
import type { ContentBlock, ToolUseBlock } from '../../../src/core/messages/blocks.ts';
import { isToolResultBlock, isToolUseBlock } from '../../../src/core/messages/blocks.ts';
import { SdkError } from '../../../src/core/errors.ts';
import type { ModelEvent } from '../../../src/core/messages/messages.ts';
import type { CanUseTool } from '../../../src/core/permissions/permission.ts';
import type { SDKMessage } from '../../../src/core/messages/sdk-message.ts';
import { createVirtualClock } from '../../../src/hosts/inline/virtual-clock.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import { createFakeExecutor, doneReply } from '../../support/stages/fake-executor.ts';
import type { Behaviour } from '../../support/stages/fake-executor.ts';
import { assistantMessage } from '../../support/models/model-streams.ts';
import { runsHere } from '../../support/runs-here.ts';
import { createEventModel, createTestSession } from '../../support/stages/test-session.ts';
import { changeTool, lookTool, plainTool } from '../../support/stages/test-tools.ts';

/** What the model asks for. Permission by name: `Look` passes, `Change` is asked, `Plain` is denied. */
type Kind = 'Look' | 'Change' | 'Plain' | 'Missing' | 'bad-input' | 'bad-json';
type Answer = 'allow' | 'deny' | 'interrupt' | 'rewrite' | 'null' | 'throw' | 'never';

interface Call {
  readonly kind: Kind;
  readonly behaviour: Behaviour;
  readonly answer: Answer;
}

/** What happens to the stream after `events` events; `none`: it ends well. */
interface Cut {
  readonly type: 'none' | 'break' | 'abort' | 'restart';
  readonly events: number;
}

const failedReply = {
  type: 'failed',
  error: { name: 'ToolError', message: 'No.', code: 'tool-failed', data: {} },
} as const;

const behaviour: fc.Arbitrary<Behaviour> = fc.oneof(
  fc.record({
    type: fc.constantFrom('reply' as const, 'stubborn' as const),
    afterMs: fc.nat(200),
    reply: fc.constantFrom(
      doneReply('fine'),
      failedReply,
      { type: 'lost', message: 'The worker died.' } as const,
      { type: 'done', output: 'x', changeSet: null, reads: [['/workspace/a', 3]] } as const,
    ),
  }),
  fc.record({ type: fc.constant('reject' as const), afterMs: fc.nat(200) }),
  fc.constant({ type: 'throw' } as const),
  fc.constant({ type: 'hang' } as const),
);

const call: fc.Arbitrary<Call> = fc.record({
  kind: fc.constantFrom<Kind>(
    'Look',
    'Look',
    'Change',
    'Plain',
    'Missing',
    'bad-input',
    'bad-json',
  ),
  behaviour,
  answer: fc.constantFrom<Answer>(
    ...(['allow', 'allow', 'deny', 'interrupt', 'rewrite', 'null', 'throw', 'never'] as const),
  ),
});

const cut: fc.Arbitrary<Cut> = fc.record({
  type: fc.constantFrom('none', 'none', 'break', 'abort', 'restart'),
  events: fc.nat(20),
});

const scenario = fc.record({
  calls: fc.array(call, { maxLength: 6 }),
  cut,
  policy: fc.constantFrom<SchedulePolicy>('default', 'default', 'sema'),
  maxRunningCalls: fc.constantFrom(1, 2, 10),
  /** How many calls of all agents run at once; undefined: there is no limiter. */
  permits: fc.option(fc.constantFrom(1, 2), { nil: undefined }),
  /** The turn is stopped at this time, if it lasts that long. */
  stopAfterMs: fc.option(fc.nat(400), { nil: undefined }),
});

const never = new AbortController().signal;

type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

it('settles every started tool use exactly once, in order, under every policy, and leaves nothing running', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async (given) => {
      const limiter = given.permits === undefined ? undefined : createCallLimiter(given.permits);
      const { session, messages, executor, clock, result } = await play(given, limiter);

      // Each tool_use is answered in the next message, in the order of the blocks.
      for (const [at, message] of session.messages.entries()) {
        if (message.role !== 'assistant' || typeof message.content === 'string') continue;
        const uses = message.content.filter(isToolUseBlock).map((block) => block.id);
        if (uses.length > 0) expect(resultIds(session, at + 1)).toEqual(uses);
      }
      // What readers get agrees: one user message for each tool_use, in order, none twice.
      expect(messages.flatMap(toResultIds)).toEqual(messages.flatMap(toUseIds));
      // What was denied is told of once, and counted.
      const denied = messages.filter((message) => message.type === 'system');
      expect(result.denials).toHaveLength(denied.length);

      expect(executor.running()).toEqual([]);
      expect(clock.pending()).toBe(0);
      // Only calls that may share their time did.
      const isSafe = (id: string) => given.calls[indexOf(id)]?.kind === 'Look';
      expect(executor.overlaps.flat().filter((id) => !isSafe(id))).toEqual([]);
      const most = Math.min(given.maxRunningCalls, given.permits ?? Infinity);
      if (most === 1) expect(executor.overlaps).toEqual([]);
      const reads = given.calls.every(({ kind }) => kind === 'Look');
      if (given.policy === 'sema' && !reads) expect(executor.overlaps).toEqual([]);
      // All permits are back: another agent gets as many as there are.
      const other = limiter?.sit();
      for (let permit = 0; permit < (given.permits ?? 0); permit += 1) {
        expect(await other?.take(never)).toBe(true);
      }
      // Never run: unknown, misunderstood, denied.
      const ran = executor.started.map(({ callId }) => given.calls[indexOf(callId)]?.kind);
      expect(ran.filter((kind) => kind !== 'Look' && kind !== 'Change')).toEqual([]);
    }),
    { numRuns: runsHere(500) },
  );
});

async function play(given: Scenario, limiter: CallLimiter | undefined) {
  const clock = createVirtualClock();
  const executor = createFakeExecutor(
    clock,
    ({ callId }) => given.calls[indexOf(callId)]?.behaviour ?? { type: 'hang' },
  );
  const controller = new AbortController();
  const first = () => cutEvents(toCallEvents(given.calls), given.cut, controller);
  const last = () => plainEvents([{ type: 'text', text: 'Done.' }]);
  const messages: SDKMessage[] = [];
  const session = await createTestSession({
    model: createEventModel([first, last]),
    tools: [lookTool(), changeTool(), plainTool()],
    disallowedTools: ['Plain(anything)'],
    canUseTool: answerAs(given.calls),
    schedulePolicy: given.policy,
    maxRunningCalls: given.maxRunningCalls,
    ...(limiter && { callLimiter: limiter }),
    executor,
    clock,
    emit: (message) => void messages.push(message),
  });
  let result: TurnResult | undefined;
  void runTurn(
    session,
    { role: 'user', content: 'Go.' },
    {
      includePartialMessages: false,
      signal: controller.signal,
    },
  ).then((end) => (result = end));

  // A deadline ends what hangs; only a question that is never answered needs the stop to end.
  const isNeverAnswered = given.calls.some(({ answer }) => answer === 'never');
  const stopAt = given.stopAfterMs ?? (isNeverAnswered ? 500_000 : Infinity);
  for (let step = 0; step < 1_000 && !result; step += 1) {
    await flush();
    if (clock.now() >= stopAt) controller.abort();
    clock.advance(clock.now() < 1_000 ? 20 : 5_000);
  }
  if (!result) throw new Error('The turn did not end.');
  await flush();
  return { session, messages, executor, clock, result };
}

function indexOf(id: string): number {
  return Number(id.split('-')[1]);
}

function toBlock({ kind }: Call, index: number): ToolUseBlock {
  const id = `call-${index}`;
  if (kind === 'bad-input') return { type: 'tool_use', id, name: 'Look', input: { path: 1 } };
  const input = kind === 'Plain' ? {} : { path: `file-${index}` };
  return { type: 'tool_use', id, name: kind === 'bad-json' ? 'Look' : kind, input };
}

async function* plainEvents(content: readonly ContentBlock[]): AsyncGenerator<ModelEvent, void> {
  yield* toEvents(assistantMessage(content));
}

/** The events of the message that makes the calls, with broken JSON where a call says so. */
function toCallEvents(calls: readonly Call[]): ModelEvent[] {
  const message = assistantMessage(calls.map(toBlock), { stop_reason: 'tool_use' });
  return [...toEvents(message)].map((event) =>
    event.type === 'content_block_delta' && calls[event.index]?.kind === 'bad-json'
      ? { ...event, delta: { ...event.delta, partial_json: '{"path": "a' } }
      : event,
  );
}

async function* cutEvents(
  events: readonly ModelEvent[],
  { type, events: at }: Cut,
  controller: AbortController,
): AsyncGenerator<ModelEvent, void> {
  for (const [index, event] of events.entries()) {
    if (type !== 'none' && index === at) {
      if (type === 'break') throw new SdkError('model-stream-cut', 'It broke off.');
      if (type === 'abort') controller.abort();
      if (type === 'restart') return yield* events;
    }
    if (controller.signal.aborted) throw new SdkError('aborted', 'Stopped.');
    yield event;
    // A stream takes time: calls start in between.
    await Promise.resolve();
  }
}

function answerAs(calls: readonly Call[]): CanUseTool {
  return (_name, input, { toolUseID }) => {
    switch (calls[indexOf(toolUseID)]?.answer) {
      case 'allow':
        return Promise.resolve({ behavior: 'allow' });
      case 'rewrite':
        return Promise.resolve({ behavior: 'allow', updatedInput: { ...input, path: 'other' } });
      case 'null':
        return Promise.resolve(null);
      case 'throw':
        return Promise.reject(new Error('The dialog broke.'));
      case 'never':
        return new Promise(() => undefined);
      case 'interrupt':
        return Promise.resolve({ behavior: 'deny', message: 'Stop.', interrupt: true });
      default:
        return Promise.resolve({ behavior: 'deny', message: 'No.' });
    }
  };
}

/** Lets everything that waits for no clock happen. */
async function flush(): Promise<void> {
  for (let turn = 0; turn < 60; turn += 1) await Promise.resolve();
}

function resultIds(session: Session, at: number): string[] {
  const message = session.messages[at];
  if (message?.role !== 'user' || typeof message.content === 'string') return [];
  return message.content.filter(isToolResultBlock).map((block) => block.tool_use_id);
}

function toResultIds(message: SDKMessage): string[] {
  if (message.type !== 'user' || typeof message.message.content === 'string') return [];
  return message.message.content.filter(isToolResultBlock).map((block) => block.tool_use_id);
}

function toUseIds(message: SDKMessage): string[] {
  if (message.type !== 'assistant') return [];
  return message.message.content.filter(isToolUseBlock).map((block) => block.id);
}
