// What the executor makes of background calls, with workers that the test plays.
import { describe, expect, it } from 'vitest';
import { SdkError } from '../../../src/core/errors.ts';
import { createWorkerExecutor } from '../../../src/hosts/browser/pool/worker-executor.ts';
import { connectByHand } from '../../support/browser/hand-driven-workers.ts';
import { done, ignore, requestOf } from '../../support/stages/work-request.ts';

describe('createWorkerExecutor', () => {
  it('runs a background call in a worker of its own, on a copy of the state, and ends it then', async () => {
    const { connect, workers } = connectByHand();
    const executor = createWorkerExecutor(connect);
    const before = executor.start(requestOf('Echo', {}, 'a'), ignore);
    workers[0]?.say({ type: 'saved-state', id: 1, state: Uint8Array.of(1) });
    workers[0]?.say({ type: 'reply', id: 1, reply: done('a') });
    await before.reply;

    const request = { ...requestOf('Echo', {}, 'b'), isBackground: true as const };
    const work = executor.start(request, ignore);
    expect(workers[1]?.sent).toEqual([
      { type: 'start', id: 2, request, savedState: Uint8Array.of(1) },
    ]);
    const nested = executor.start({ ...requestOf('Echo', {}, 'n'), outerCallId: 'b' }, ignore);
    expect(workers[1]?.sent).toHaveLength(2);
    workers[1]?.say({ type: 'saved-state', id: 2, state: Uint8Array.of(2) });
    workers[1]?.say({ type: 'saved-state', id: 3, state: Uint8Array.of(3) });
    workers[1]?.say({ type: 'reply', id: 3, reply: done('n') });
    workers[1]?.say({ type: 'reply', id: 2, reply: done('b') });
    expect([await nested.reply, await work.reply]).toEqual([done('n'), done('b')]);
    expect(workers.map((worker) => worker.isEnded)).toEqual([false, true]);
    // Neither a copy's state nor its going back touches the session's.
    nested.discard();
    work.discard();
    const after = executor.start(requestOf('Echo', {}, 'c'), ignore);
    workers[0]?.listeners.onEnd(new SdkError('worker-lost', 'gone'));
    await after.reply;
    executor.start(requestOf('Echo', {}, 'd'), ignore);
    expect(workers[2]?.sent).toMatchObject([{ type: 'start', savedState: Uint8Array.of(1) }]);
  });

  it('ends a killed background call with its worker and its nested calls, and nothing else', async () => {
    const { connect, workers } = connectByHand();
    const executor = createWorkerExecutor(connect);
    const bystander = executor.start(requestOf('Echo', {}, 'a'), ignore);
    const request = { ...requestOf('Hang', {}, 'b'), isBackground: true as const };
    const hung = executor.start(request, ignore);
    const nested = executor.start({ ...requestOf('Echo', {}, 'n'), outerCallId: 'b' }, ignore);
    hung.kill('stopped');
    expect(await hung.reply).toEqual({ type: 'lost', message: 'stopped' });
    expect(await nested.reply).toMatchObject({ type: 'lost' });
    expect(workers.map((worker) => worker.isEnded)).toEqual([false, true]);
    workers[0]?.say({ type: 'reply', id: 1, reply: done('a') });
    expect(await bystander.reply).toEqual(done('a'));
  });
});
