import { describe, expect, it } from 'vitest';
import { createSerialQueue } from '../../../../src/core/async/serial-queue.ts';

describe('createSerialQueue', () => {
  it('begins each work when the one before has ended, in the order in which they came', async () => {
    const inTurn = createSerialQueue();
    const steps: string[] = [];
    const work = (name: string) => async () => {
      steps.push(`${name} begins`);
      await Promise.resolve();
      steps.push(`${name} ends`);
      return name;
    };
    const results = [inTurn(work('a')), inTurn(work('b'))];
    expect(steps).toEqual([]);
    expect(await Promise.all(results)).toEqual(['a', 'b']);
    expect(steps).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
  });

  it('rejects as the work does, and goes on with the next one', async () => {
    const inTurn = createSerialQueue();
    const failed = inTurn(() => {
      throw new Error('no');
    });
    const next = inTurn(() => 'yes');
    await expect(failed).rejects.toThrow('no');
    expect(await next).toBe('yes');
  });
});
