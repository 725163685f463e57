import { expect, it } from 'vitest';
import workerUrl from './early-loads.worker.ts?worker&url';

it.each([
  ['warmed for it', 'warm'],
  ['asked to go on with a saved session, whose engine is still being loaded', 'restore'],
])('the parts of the Repl’s world are fetched where a worker is %s', async (_when, step) => {
  const worker = new Worker(workerUrl, { type: 'module' });
  try {
    const answer = new Promise((resolve, reject) => {
      worker.addEventListener('message', ({ data }) => resolve(data));
      worker.addEventListener('error', reject);
    });
    worker.postMessage(step);
    expect(await answer).toBe('done');
  } finally {
    worker.terminate();
  }
});
