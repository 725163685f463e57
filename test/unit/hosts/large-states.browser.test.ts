// A session whose saved state is large: there is one copy of it, which follows its calls.
import { describe, expect, it } from 'vitest';
import { largeStateBytes } from '../../../src/core/tool/handler.ts';
import type { ToToolWorker } from '../../../src/hosts/browser/wire/protocol.ts';
import { openPool } from '../../support/browser/hand-driven-pool.ts';

/** To compare all of the bytes takes minutes. */
function lengthOfState(message: ToToolWorker | undefined): number | undefined {
  return message?.type === 'start' ? message.savedState?.length : undefined;
}

describe('a session with a large state', () => {
  it('ends a worker that is spent after its calls, and its session goes on in another with its state', async () => {
    const { start, ready, workers, sent } = openPool();
    const cell = start();
    ready(0);
    workers[0]?.say({ type: 'saved-state', id: 1, state: Uint8Array.of(1) });
    workers[0]?.say({ type: 'spent' });
    expect(workers.map(({ isEnded }) => isEnded)).toEqual([false, false]);
    await cell.finish();
    expect(workers.map(({ isEnded }) => isEnded)).toEqual([true, false]);
    ready(1);
    start();
    expect(sent()).toEqual([[1], [2]]);
    expect(workers[1]?.sent.at(-1)).toMatchObject({ id: 2, savedState: Uint8Array.of(1) });
  });

  it('runs a call that needs no state with its session where a copy of that would be large', async () => {
    const { start, startFree, ready, workers, sent } = openPool();
    const cell = start();
    ready(0);
    workers[0]?.say({ type: 'saved-state', id: 1, state: new Uint8Array(largeStateBytes + 1) });
    await cell.finish();
    const first = startFree();
    startFree();
    expect(sent()).toEqual([[1, 2]]);
    await first.finish();
    expect(sent()).toEqual([[1, 2, 3]]);
  });

  it('sends a large state with a call that waited for one whose worker gave it up', async () => {
    const { start, ready, workers, sent } = openPool();
    const state = new Uint8Array(largeStateBytes + 1);
    const cell = start();
    ready(0);
    workers[0]?.say({ type: 'saved-state', id: 1, state });
    await cell.finish();
    const failing = start();
    start();
    workers[0]?.say({ type: 'spent' });
    ready(1);
    await failing.finish();
    expect(sent()).toEqual([[1, 2], [3]]);
    expect(lengthOfState(workers[1]?.sent.at(-1))).toBe(state.length);
  });

  it('frees a large state once a call that saved another is kept, and the last with its session', async () => {
    const { executor, start, ready, workers } = openPool();
    const before = new Uint8Array(largeStateBytes + 1);
    const after = new Uint8Array(largeStateBytes + 1);
    const cell = start();
    ready(0);
    workers[0]?.say({ type: 'saved-state', id: 1, state: before });
    await cell.finish();
    cell.keep?.();
    expect(before.length).toBe(largeStateBytes + 1);
    const next = start();
    workers[0]?.say({ type: 'saved-state', id: 2, state: after });
    await next.finish();
    expect(before.length).toBe(largeStateBytes + 1);
    next.keep?.();
    expect([before.length, after.length]).toEqual([0, largeStateBytes + 1]);
    executor.endSession?.('session-1');
    expect(after.length).toBe(0);
  });

  it('goes back to a large state when a call is discarded, and sends it with the next', async () => {
    const { start, ready, workers } = openPool();
    const before = new Uint8Array(largeStateBytes + 1);
    const refused = new Uint8Array(largeStateBytes + 1);
    const cell = start();
    ready(0);
    workers[0]?.say({ type: 'saved-state', id: 1, state: before });
    await cell.finish();
    cell.keep?.();
    const next = start();
    workers[0]?.say({ type: 'saved-state', id: 2, state: refused });
    await next.finish();
    next.discard();
    expect([before.length, refused.length]).toEqual([largeStateBytes + 1, 0]);
    expect(workers[0]?.sent.at(-1)).toMatchObject({ type: 'discard', savedState: null });
    start();
    expect(lengthOfState(workers[0]?.sent.at(-1))).toBe(before.length);
  });
});
