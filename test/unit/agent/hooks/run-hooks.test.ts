import { describe, expect, it } from 'vitest';
import type { CompiledHook } from '../../../../src/agent/hooks/compile-hooks.ts';
import type { HookCallback } from '../../../../src/agent/hooks/hooks.ts';
import type { HookInput } from '../../../../src/agent/hooks/hook-inputs.ts';
import { createBackgroundHooks, runHooks } from '../../../../src/agent/hooks/run-hooks.ts';
import { createVirtualClock } from '../../../../src/hosts/inline/virtual-clock.ts';

const never = () => new Promise<never>(() => undefined);

function open() {
  const clock = createVirtualClock();
  const background = createBackgroundHooks(clock);
  const controller = new AbortController();
  const signals: AbortSignal[] = [];
  const run = (...callbacks: readonly (HookCallback | readonly [HookCallback, number])[]) => {
    const hooks = callbacks.map((given): CompiledHook => {
      const [callback, timeoutMs] = typeof given === 'function' ? [given, 60_000] : given;
      const remembering: HookCallback = (input, id, options) => {
        signals.push(options.signal);
        return callback(input, id, options);
      };
      return { callback: remembering, timeoutMs, blocksOnFailure: false, condition: undefined };
    });
    const createInput = () => ({ hook_event_name: 'Stop', list: [1] }) as unknown as HookInput;
    const call = {
      event: 'Stop',
      createInput,
      toolUseId: 'id',
      signal: controller.signal,
    } as const;
    return runHooks(hooks, call, { clock, background });
  };
  return { clock, background, controller, signals, run };
}

/** Lets everything that waits for no clock happen. */
async function flush(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

const answered = expect.objectContaining({ type: 'answered' });
const failed = (message: string) => ({ type: 'failed', message });

describe('runHooks', () => {
  it('gives the outcomes in the order of the hooks, whichever answers first', async () => {
    const { run, clock } = open();
    let release = () => {};
    const late = () => new Promise<object>((resolve) => (release = () => resolve({ reason: '1' })));
    const running = run(late, () => Promise.resolve({ reason: '2' }));
    await Promise.resolve();
    release();
    const outcomes = await running;
    expect(outcomes.map((outcome) => 'answer' in outcome && outcome.answer.reason)).toEqual([
      '1',
      '2',
    ]);
    expect(clock.pending()).toBe(0);
  });

  it('takes a hook that throws or rejects for one that failed, and tells nonsense from no opinion', async () => {
    const { run } = open();
    const outcomes = await run(
      () => {
        throw new Error('at once');
      },
      () => Promise.reject(new Error('later')),
      () => Promise.reject('text'),
      () => Promise.reject(Object.create(null)),
      () => Promise.resolve('yes' as never),
      () => Promise.resolve({}),
    );
    expect(outcomes).toEqual([
      failed('at once'),
      failed('later'),
      failed('text'),
      failed('something was thrown that has no text'),
      { type: 'misread', message: 'its output is no object' },
      answered,
    ]);
  });

  it('gives up on each at its own timeout, and tells it by its signal', async () => {
    const { run, clock, signals } = open();
    const running = run([never, 1_000], [never, 2_000], [never, 1_000]);
    expect(clock.pending()).toBe(2);
    clock.advance(1_000);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false, true]);
    clock.advance(1_000);
    const slow = failed('it took longer than 1 s');
    expect(await running).toEqual([slow, failed('it took longer than 2 s'), slow]);
    expect(clock.pending()).toBe(0);
  });

  it('stops waiting when the turn is stopped; what comes too late counts for nothing', async () => {
    const { run, clock, controller, signals } = open();
    let fail = () => {};
    const late = () => new Promise<never>((_, reject) => (fail = () => reject(new Error('late'))));
    const running = run(late, () => Promise.resolve({}));
    await flush();
    controller.abort();
    fail();
    expect(await running).toEqual([{ type: 'cancelled' }, answered]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    expect(await run(() => Promise.resolve({}))).toEqual([{ type: 'cancelled' }]);
    expect([signals.length, clock.pending()]).toEqual([2, 0]);
  });

  it('shows each hook an input of its own', async () => {
    const { run } = open();
    const seen: unknown[] = [];
    const spoil: HookCallback = (input) => {
      const { list } = input as unknown as { list: number[] };
      list.push(2);
      seen.push(list);
      return Promise.resolve({});
    };
    await run(spoil, spoil);
    expect(seen).toEqual([
      [1, 2],
      [1, 2],
    ]);
  });

  it('lets go of hooks that go on, and aborts them at their own timeout or with the session', async () => {
    const { run, clock, background, signals, controller } = open();
    const goesOn = (asyncTimeout?: number) => () =>
      Promise.resolve({
        async: true as const,
        ...(asyncTimeout !== undefined && { asyncTimeout }),
      });
    const running = run(goesOn(90_000), goesOn(), [never, 60_000]);
    await flush();
    clock.advance(60_000);
    await running;
    controller.abort();
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false, true]);
    clock.advance(90_000);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false, true]);
    background[Symbol.dispose]();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true]);
    expect(clock.pending()).toBe(0);
  });

  it('aborts at once what would go on when the session has ended', async () => {
    const { run, background, signals, clock } = open();
    background[Symbol.dispose]();
    await run(() => Promise.resolve({ async: true, asyncTimeout: 5 }));
    expect([signals[0]?.aborted, clock.pending()]).toEqual([true, 0]);
  });
});
