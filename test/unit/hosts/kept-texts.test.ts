// Which worker keeps which decoded text. There are the real indexes of three workers, the pool
// between them, and messages that come at any time, but each worker's in their order.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ContentIndex } from '../../../src/search/index/content-index.ts';
import { openPool } from '../../support/browser/hand-driven-pool.ts';

const contents = [1, 2, 3, 4, 5, 6];
const textBytes = 100;
const maxTextBytes = 400;

/** A worker's index, and the messages on their way to it and from it. */
function openWorkers() {
  const pool = openPool(3);
  const calls = [pool.startFree(), pool.startFree(), pool.startFree()];
  const indexes = calls.map((_call, at) => {
    pool.ready(at);
    const worker = pool.workers[at];
    if (!worker) throw new Error('One starts with each call.');
    const said: (() => void)[] = [];
    const index = new ContentIndex({
      maxTextBytes,
      onKept: (texts) => said.push(() => worker.say({ type: 'kept-texts', ...texts })),
    });
    const hear = () => {
      const message = worker.sent.shift();
      if (message?.type === 'kept-elsewhere') index.yieldTexts(message);
      return message !== undefined;
    };
    const say = () => {
      const message = said.shift();
      message?.();
      return message !== undefined;
    };
    return { index, worker, hear, say };
  });
  return { ...pool, calls, indexes };
}

type Opened = ReturnType<typeof openWorkers>['indexes'][number];

async function search({ index }: Opened, content: number): Promise<void> {
  const entry = index.entryOf(content);
  index.startSearch();
  const text = index.useText(entry.row);
  if (text) return;
  const read = index.take(entry, new TextEncoder().encode(String(content).repeat(textBytes)));
  if (read !== 'binary') index.keepText(entry, read);
  // What is kept is told a microtask later.
  await Promise.resolve();
}

const keptBy = ({ index }: Opened) =>
  contents.filter((content) => index.hasText(index.entryOf(content).row));

/** Until all messages have come, in some order. */
function settle(opened: readonly Opened[]): void {
  while (opened.some(({ hear, say }) => say() || hear()));
}

const anyStep = fc.record({
  what: fc.constantFrom('search', 'search', 'hear', 'say'),
  at: fc.nat({ max: 2 }),
  content: fc.constantFrom(...contents),
});

it('keeps each text in one worker at most, and all within the budget, whatever comes when', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 60 }), async (steps) => {
      const { indexes, executor } = openWorkers();
      for (const { what, at, content } of steps) {
        const opened = indexes[at];
        if (!opened) throw new Error('There are three.');
        if (what === 'search') await search(opened, content);
        else opened[what === 'hear' ? 'hear' : 'say']();
      }
      settle(indexes);
      const kept = indexes.flatMap(keptBy);
      expect(kept.toSorted()).toEqual([...new Set(kept)].toSorted());
      expect(kept.length * textBytes).toBeLessThanOrEqual(maxTextBytes);
      executor[Symbol.dispose]();
    }),
  );
});

it('gives a text to the worker that needs it, and the budget of one that ends to the others', async () => {
  const { indexes, executor } = openWorkers();
  const [first, second, third] = indexes;
  if (!first || !second || !third) throw new Error('There are three.');
  for (const content of [1, 2, 3, 4]) await search(first, content);
  settle(indexes);
  expect(indexes.map(keptBy)).toEqual([[1, 2, 3, 4], [], []]);
  await search(second, 2);
  settle(indexes);
  expect(indexes.map(keptBy)).toEqual([[1, 3, 4], [2], []]);
  // Others leave nothing of it but an equal part, for which the one used longest ago goes.
  await search(third, 5);
  settle(indexes);
  expect(indexes.map(keptBy)).toEqual([[3, 4], [2], [5]]);
  first.worker.listeners.onEnd(new Error('gone') as never);
  settle(indexes);
  for (const content of [1, 3]) await search(second, content);
  settle(indexes);
  expect([second, third].map(keptBy)).toEqual([[1, 2, 3], [5]]);
  executor[Symbol.dispose]();
});
