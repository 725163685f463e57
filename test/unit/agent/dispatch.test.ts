import { beforeAll, describe, expect, it, vi } from 'vitest';
import { authorize } from '../../../src/agent/calls/authorize.ts';
import { dispatch } from '../../../src/agent/calls/dispatch.ts';
import type { DispatchOptions } from '../../../src/agent/calls/dispatch.ts';
import type { DispatchOutcome } from '../../../src/agent/calls/dispatch-outcome.ts';
import type { NestedReply } from '../../../src/core/tool/nested-call.ts';
import type { Tool } from '../../../src/core/tool/tool.ts';
import { createVirtualClock } from '../../../src/hosts/inline/virtual-clock.ts';
import { createFakeExecutor, doneReply } from '../../support/stages/fake-executor.ts';
import type { Behaviour } from '../../support/stages/fake-executor.ts';
import { assistantMessage } from '../../support/models/model-streams.ts';
import { createTestSession, testContext } from '../../support/stages/test-session.ts';
import { lookTool } from '../../support/stages/test-tools.ts';
import { validCall } from '../../support/stages/valid-call.ts';

/** Dispatches one call, and gives what a test needs to move time and to look. */
async function start(
  behaviour: Behaviour,
  tool: Tool = lookTool(),
  runNested?: () => Promise<NestedReply>,
  recorded?: DispatchOptions['recorded'],
) {
  const clock = createVirtualClock();
  const executor = createFakeExecutor(clock, () => behaviour);
  const session = await createTestSession({ tools: [tool], executor, clock });
  const controller = new AbortController();
  const context = testContext(session, controller);
  const call = await authorize(validCall(tool, { path: 'a' }), context, session);
  if (call.stage !== 'allowed') throw new Error('It was not allowed.');
  const progress: unknown[] = [];
  let outcome: DispatchOutcome | 'pending' = 'pending';
  const { root, executorId, limits, downloads } = session;
  const { workspace } = session.host;
  void dispatch(
    call,
    {
      ...{ executor, executorId, clock, workspace, root, limits, downloads },
      lendWorktrees: () => Promise.reject(new Error('No call here asks for one.')),
    },
    {
      context,
      canUseTool: () => Promise.resolve(null),
      parentMessage: assistantMessage([]),
      onWorker: () => {},
      onProgress: (payload) => progress.push(payload),
      ...(recorded && { recorded }),
      ...(runNested && { nested: { tools: ['Look'], run: runNested } }),
    },
  ).then((settled) => (outcome = settled));
  const pass = async (ms: number) => {
    clock.advance(ms);
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    return outcome;
  };
  await pass(0);
  return { pass, executor, controller, progress, clock, session };
}

const reply = (afterMs: number) =>
  ({ type: 'reply', afterMs, reply: doneReply('fine') }) satisfies Behaviour;
const stubborn = (afterMs: number) =>
  ({ type: 'stubborn', afterMs, reply: doneReply('late') }) satisfies Behaviour;

describe('dispatch', () => {
  it('sends what the worker needs, and gives its reply as the outcome', async () => {
    const { pass, executor, session } = await start(reply(10));
    expect(executor.started).toEqual([
      {
        callId: 'call-1',
        toolName: 'Look',
        input: { path: 'a' },
        sessionId: 'session-1',
        address: { root: 'main', minSeq: session.host.workspace.seq() },
        access: expect.objectContaining({ cwd: '/workspace', write: 'deny' }),
        cwd: '/workspace',
        limits: { ...session.limits, timeoutMs: 60_000 },
        knownVersions: [],
        isStateless: true,
      },
    ]);
    expect(await pass(10)).toEqual({ ...doneReply('fine'), discard: expect.any(Function) });
  });

  it('asks a call to stop a little after its deadline, and ends it after a grace', async () => {
    const tool = lookTool({ getTimeoutMs: () => 1_000 });
    const { pass, executor, clock } = await start({ type: 'hang' }, tool);
    expect([await pass(1_249), executor.cuts]).toEqual(['pending', []]);
    expect([await pass(1), executor.cuts]).toEqual(['pending', [['call-1', 'interrupt']]]);
    expect(await pass(249)).toBe('pending');
    expect(await pass(1)).toEqual({ type: 'timed-out', timeoutMs: 1_000 });
    expect(executor.cuts).toEqual([
      ['call-1', 'interrupt'],
      ['call-1', 'kill'],
    ]);
    expect(clock.pending()).toBe(0);
  });

  it('ends a call that stops when it is asked to without killing it', async () => {
    const { pass, executor, controller } = await start(reply(10_000));
    controller.abort();
    expect([await pass(0), executor.cuts]).toEqual([
      { type: 'aborted' },
      [['call-1', 'interrupt']],
    ]);
  });

  it('counts a call that was cut as cut, even where its work still came to an end', async () => {
    const { pass, controller, executor } = await start(stubborn(100));
    await pass(50);
    controller.abort();
    expect(await pass(50)).toEqual({ type: 'aborted' });
    // Or its variables would stay, though its files don't.
    expect(executor.discarded).toEqual(['call-1']);
  });

  it('passes progress on at once, and none after the end', async () => {
    const { pass, progress, controller } = await start(stubborn(100));
    expect(progress).toEqual(['started']);
    controller.abort();
    await pass(250);
    await pass(1_000);
    expect(progress).toEqual(['started']);
  });

  it.each<[string, Behaviour, object]>([
    [
      'a reply that rejects',
      { type: 'reject', afterMs: 1 },
      { type: 'lost', message: 'Error: port broken' },
    ],
    [
      'an executor that throws',
      { type: 'throw' },
      { type: 'failed', error: expect.objectContaining({ message: 'can not be cloned' }) },
    ],
    [
      'a worker that died',
      { type: 'reply', afterMs: 1, reply: { type: 'lost', message: 'It crashed.' } },
      { type: 'lost', message: 'It crashed.' },
    ],
  ])('makes an outcome of %s', async (_, behaviour, outcome) => {
    const { pass } = await start(behaviour);
    expect(await pass(1)).toEqual(outcome);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('x');
      },
      60_000,
    ],
    ['says nonsense', () => NaN, 60_000],
    ['says never', () => Infinity, 24 * 60 * 60 * 1000],
  ])('bounds a call whose tool %s about its time', async (_, getTimeoutMs, timeoutMs) => {
    const { executor } = await start(reply(1), lookTool({ getTimeoutMs }));
    expect(executor.started[0]?.limits.timeoutMs).toBe(timeoutMs);
  });
});

describe('dispatch', () => {
  const throws = () => {
    throw new Error('x');
  };

  it.each([
    ['is safe beside others', {}, true],
    ['says that it uses no state', { usesSessionState: () => false }, true],
    ['uses the state of its session', { usesSessionState: () => true }, undefined],
    ['cannot tell', { usesSessionState: throws }, undefined],
    ['is not safe beside others', { isConcurrencySafe: () => false }, undefined],
  ])('lets a call run in any worker, or not, that %s', async (_, members, isStateless) => {
    const { executor } = await start(reply(1), lookTool(members));
    expect(executor.started[0]?.isStateless).toBe(isStateless);
  });
});

describe('dispatch, of a call that is journalled', () => {
  it('says what its cells draw and read, and hands on what it has saved', async () => {
    const state = { toolName: 'Look', isWhole: true, bytes: Uint8Array.of(1), kept: ['n'] };
    const recorded = { recordState: 'change', seed: '1'.repeat(32), time: 5 } as const;
    const saving = { ...reply(10), reply: { ...doneReply('fine'), state } };
    const { pass, executor } = await start(saving, lookTool(), undefined, recorded);
    expect(executor.started[0]).toMatchObject(recorded);
    expect(await pass(10)).toMatchObject({ type: 'done', state });
  });
});

describe('dispatch, of a tool that keeps its own time', () => {
  const tool = lookTool({ getTimeoutMs: () => 1_000, keepsOwnTime: true });

  it('counts from where its handler says that it begins, and cuts it a little later', async () => {
    const { pass, executor, clock } = await start({ type: 'hang', beginsAt: [59_000] }, tool);
    expect(await pass(59_000 + 1_149)).toBe('pending');
    expect([await pass(1), executor.cuts]).toEqual(['pending', [['call-1', 'interrupt']]]);
    expect(await pass(49)).toBe('pending');
    expect(await pass(1)).toEqual({ type: 'timed-out', timeoutMs: 1_000 });
    expect(executor.cuts.at(-1)).toEqual(['call-1', 'kill']);
    expect(clock.pending()).toBe(0);
  });

  it('counts anew where it had to be started anew', async () => {
    const { pass, executor } = await start({ type: 'hang', beginsAt: [0, 1_000] }, tool);
    expect([await pass(2_149), executor.cuts]).toEqual(['pending', []]);
    await pass(1);
    expect(executor.cuts).toEqual([['call-1', 'interrupt']]);
  });

  it('takes its answer where it had ended itself before it was asked to', async () => {
    const answer = { ...stubborn(1_199), beginsAt: [0] };
    const { pass, executor } = await start(answer, tool);
    expect(await pass(1_199)).toMatchObject({ type: 'done', output: 'late' });
    expect(executor.cuts).toEqual([['call-1', 'interrupt']]);
  });

  it('ends one that never begins after a minute, and says that it had not begun', async () => {
    const { pass, executor, clock } = await start({ type: 'hang' }, tool);
    expect([await pass(59_999), executor.cuts]).toEqual(['pending', []]);
    await pass(1);
    expect(await pass(250)).toEqual({ type: 'not-begun', waitedMs: 60_000 });
    expect(executor.cuts.map(([, cut]) => cut)).toEqual(['interrupt', 'kill']);
    expect(clock.pending()).toBe(0);
  });

  it('lets one wait that is behind another, as long as the other takes', async () => {
    const { pass, executor } = await start({ type: 'hang' }, tool);
    executor.putBefore('call-0');
    expect([await pass(10 * 60_000 - 1), executor.cuts]).toEqual(['pending', []]);
    executor.takeAway('call-0');
    await pass(1);
    expect(executor.cuts).toEqual([['call-1', 'interrupt']]);
  });

  it('starts no timer for a call that is over', async () => {
    const { pass, controller, clock } = await start({ type: 'hang', beginsAt: [300] }, tool);
    controller.abort();
    expect(await pass(250)).toEqual({ type: 'aborted' });
    await pass(50);
    expect(clock.pending()).toBe(0);
  });

  it('stands still while a nested call runs, and for what its messages take', async () => {
    let end = () => {};
    const nestedCall = new Promise<NestedReply>((resolve) => {
      end = () => resolve({ type: 'done', callId: 'nested-1', output: null });
    });
    const { pass, executor } = await start({ type: 'hang', beginsAt: [0] }, tool, () => nestedCall);
    await pass(1_000);
    const answered = executor.callTool('call-1', { toolName: 'Look', input: {} });
    expect([await pass(5_000), executor.cuts]).toEqual(['pending', []]);
    end();
    await answered;
    expect([await pass(169), executor.cuts]).toEqual(['pending', []]);
    await pass(1);
    expect(executor.cuts).toEqual([['call-1', 'interrupt']]);
  });
});

describe('dispatch, of a tool with a call of its own', () => {
  // What it loads for the first of them comes in its own time, and these tests count in ours.
  beforeAll(async () => {
    const { pass } = await start(
      { type: 'hang' },
      withCall(async () => ({ data: null })),
    );
    await vi.waitUntil(async () => (await pass(0)) !== 'pending', { timeout: 240_000 });
  });

  const withCall = (call: NonNullable<Tool['call']>) => {
    const { runsIn: _, ...rest } = lookTool() as Tool & { runsIn: 'worker' };
    return { ...rest, call } as Tool;
  };

  it('gives what it returns', async () => {
    const message = { role: 'user', content: 'By the way.' } as const;
    const tool = withCall(async (input) => ({ data: input, newMessages: [message] }));
    const { pass } = await start({ type: 'hang' }, tool);
    expect(await pass(0)).toEqual({
      type: 'done',
      output: { path: 'a' },
      changeSet: null,
      reads: [],
      newMessages: [message],
    });
  });

  it('makes a failure of what it throws, at once or later', async () => {
    const { pass } = await start(
      { type: 'hang' },
      withCall(() => {
        throw new Error('no');
      }),
    );
    expect(await pass(0)).toMatchObject({ type: 'failed', error: { message: 'no' } });
  });

  it.each([
    [true, { type: 'done', output: 'so far' }],
    [false, { type: 'aborted' }],
  ])(
    'is over with what it gives when it is cut, where it keeps that: %s',
    async (keeps, outcome) => {
      const call: Tool['call'] = (_input, { abortController: { signal } }) =>
        new Promise((resolve) =>
          signal.addEventListener('abort', () => resolve({ data: 'so far' })),
        );
      const tool = { ...withCall(call), keepsPartialResult: keeps };
      const { pass, controller } = await start({ type: 'hang' }, tool);
      controller.abort();
      expect(await pass(0)).toMatchObject(outcome);
    },
  );

  it('aborts its own controller, and abandons it after a grace', async () => {
    let signal: AbortSignal | undefined;
    const tool = withCall((_input, context) => {
      signal = context.abortController.signal;
      return new Promise(() => undefined);
    });
    const { pass, controller } = await start({ type: 'hang' }, tool);
    controller.abort();
    expect([await pass(249), signal?.aborted]).toEqual(['pending', true]);
    expect(await pass(1)).toEqual({ type: 'aborted' });
  });
});
