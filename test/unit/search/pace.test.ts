import { expect, it } from 'vitest';
import { Pace } from '../../../src/search/index/pace.ts';

async function go(pace: Pace, steps: number): Promise<void> {
  for (let step = 0; step < steps; step += 1) {
    const rest = pace.step();
    if (rest) await rest;
  }
}

it('lets an abort be heard that comes while the work goes on', async () => {
  const controller = new AbortController();
  // As an abort comes to a worker. A timer may wait until all of the work is done: workerd's do.
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    controller.abort();
  };
  const going = go(new Pace({ signal: controller.signal }), 1_000_000);
  port2.postMessage(null);
  await expect(going).rejects.toMatchObject({ code: 'aborted' });
});

it('ends the work when its time is over, without a rest in between', () => {
  const late = new Error('late');
  const pace = new Pace({
    checkTime() {
      throw late;
    },
  });
  expect(() => {
    for (let step = 0; step < 1000; step += 1) void pace.step();
  }).toThrow(late);
});
