import { describe, expect, it } from 'vitest';
import { untilAborted } from '../../../../src/core/async/abort.ts';
import { createDeferred } from '../../../../src/core/async/deferred.ts';

const forEver = new Promise<never>(() => undefined);

describe('untilAborted', () => {
  it('gives what the work gives, and rejects as it does', async () => {
    const { signal } = new AbortController();
    expect(await untilAborted(Promise.resolve('yes'), signal)).toBe('yes');
    expect(await untilAborted(Promise.resolve('yes'), undefined)).toBe('yes');
    await expect(untilAborted(Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
  });

  it('rejects with aborted before the work has ended, also where the signal was aborted before', async () => {
    const controller = new AbortController();
    const waiting = untilAborted(forEver, controller.signal);
    controller.abort('enough');
    const aborted = { code: 'aborted', cause: 'enough' };
    await expect(waiting).rejects.toMatchObject(aborted);
    await expect(untilAborted(forEver, controller.signal)).rejects.toMatchObject(aborted);
  });

  it('hears of work that fails after the abort, so that nothing is unhandled', async () => {
    const controller = new AbortController();
    const { promise: work, reject: fail } = createDeferred<never>();
    const waiting = untilAborted(work, controller.signal);
    controller.abort();
    fail(new Error('late'));
    await expect(waiting).rejects.toMatchObject({ code: 'aborted' });
  });
});
