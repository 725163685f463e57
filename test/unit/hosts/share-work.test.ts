// Parts of a call on the page: which workers do them, and what becomes of them when the call is cut.
import { describe, expect, it } from 'vitest';
import type { WorkRequest } from '../../../src/core/tool/ports.ts';
import { createWorkerExecutor } from '../../../src/hosts/browser/pool/worker-executor.ts';
import { connectByHand } from '../../support/browser/hand-driven-workers.ts';
import { openPool } from '../../support/browser/hand-driven-pool.ts';
import { done, ignore, requestOf } from '../../support/stages/work-request.ts';

const request: WorkRequest = { ...requestOf('Search', { for: 'x' }), knownVersions: [['/a', 1]] };

const parts = [0, 1, 2, 3].map((at) => ({ seq: 7, task: `part ${at}` }));

/** Two workers that are up: one runs the call, the other one has nothing to do. */
function startCall() {
  const { connect, workers } = connectByHand();
  const executor = createWorkerExecutor(connect, { size: 2 });
  const before = [1, 2].map((id) =>
    executor.start({ ...requestOf('Echo', {}, `before-${id}`), isStateless: true }, ignore),
  );
  workers[0]?.ready();
  workers[1]?.ready();
  workers[0]?.say({ type: 'reply', id: 1, reply: done(null) });
  workers[1]?.say({ type: 'reply', id: 2, reply: done(null) });
  for (const { sent } of workers) sent.length = 0;
  const work = executor.start(request, ignore);
  const own = workers.findIndex(({ sent }) => sent.length > 0);
  const [mine, other] = own === 0 ? workers : workers.toReversed();
  if (!mine || !other) throw new Error('There are two workers.');
  mine.sent.length = 0;
  return { executor, workers, before, work, mine, other };
}

const taken = { type: 'parts-taken', id: 3, from: 2 };
const answered = (at: number, output?: unknown) => ({ type: 'part-reply', id: 3, at, output });

/** The first that is taken is the fourth call. */
const partOf = (at: number) => ({
  type: 'start',
  id: at + 2,
  request: {
    ...request,
    callId: `call-1/${at}`,
    address: { root: 'main', minSeq: 7 },
    knownVersions: [],
    isStateless: true,
    part: parts[at],
  },
  savedState: null,
});

/** What is heard of a reply is done a few turns later. */
const settled = () => new Promise<void>((resolve) => void setTimeout(resolve, 0));

describe('parts of a call', () => {
  it('are divided: the last go to a worker that is idle, one at a time', async () => {
    const { work, mine, other } = startCall();
    mine.say({ type: 'parts', id: 3, parts });
    expect([mine.sent, other.sent]).toEqual([[taken], [partOf(2)]]);
    for (const at of [2, 3]) {
      other.say({ type: 'reply', id: at + 2, reply: done(`found in ${at}`) });
      await settled();
    }
    expect(other.sent).toEqual([partOf(2), partOf(3)]);
    expect(mine.sent).toEqual([taken, answered(2, 'found in 2'), answered(3, 'found in 3')]);
    mine.say({ type: 'reply', id: 3, reply: done('all') });
    expect(await work.reply).toEqual(done('all'));
  });

  it('go each time to the same of several workers', async () => {
    const { startFree, ready, workers, sent } = openPool(3);
    const calls = [startFree(), startFree(), startFree()];
    for (const at of [0, 1, 2]) ready(at);
    // The last one first: in which order they were used doesn't count.
    for (const call of calls.toReversed()) await call.finish();
    startFree();
    const six = [0, 1, 2, 3, 4, 5].map((at) => ({ seq: 7, task: at }));
    workers[0]?.say({ type: 'parts', id: 4, parts: six });
    expect(sent()).toEqual([
      [1, 4],
      [2, 5],
      [3, 6],
    ]);
    const tasks = workers.map((worker) => Object(worker.sent.at(-1)).request?.part?.task);
    expect(tasks).toEqual([undefined, 2, 4]);
    expect(workers[0]?.sent.at(-1)).toEqual({ type: 'parts-taken', id: 4, from: 2 });
  });

  it('wait for no worker, but have one started for what comes after them', () => {
    const { connect, workers } = connectByHand();
    const executor = createWorkerExecutor(connect, { size: 2 });
    executor.start(request, ignore);
    workers[0]?.ready();
    workers[0]?.say({ type: 'parts', id: 1, parts });
    workers[0]?.say({ type: 'parts', id: 1, parts });
    expect(workers).toHaveLength(2);
    expect(workers[0]?.sent.map(({ type }) => type)).toEqual(['start', 'kept-elsewhere']);
  });

  it('go to nobody once the call is done; the one under way is left to its end', async () => {
    const { work, mine, other } = startCall();
    mine.say({ type: 'parts', id: 3, parts });
    mine.say({ type: 'reply', id: 3, reply: done('all') });
    await work.reply;
    other.say({ type: 'reply', id: 4, reply: done('late') });
    await settled();
    expect(other.sent).toEqual([partOf(2)]);
    expect(mine.sent).toEqual([taken]);
  });

  it('aren’t tried again where one fails, or its worker ends: the call is told', async () => {
    for (const end of ['fails', 'ends'] as const) {
      const { mine, other, workers } = startCall();
      mine.say({ type: 'parts', id: 3, parts });
      const error = { name: 'ToolError', message: 'No.', code: 'ECONFLICT', data: {} } as const;
      if (end === 'fails') other.say({ type: 'reply', id: 4, reply: { type: 'failed', error } });
      else other.listeners.onEnd(new Error('gone') as never);
      await settled();
      for (const worker of workers.slice(2)) worker.ready();
      const started = workers.flatMap(({ sent }) => sent.filter(({ type }) => type === 'start'));
      expect(started).toEqual([partOf(2)]);
      expect(mine.sent).toEqual([taken, answered(2), answered(3)]);
    }
  });

  it('are left to the call where their worker has got another one meanwhile', async () => {
    const { executor, mine, other } = startCall();
    mine.say({ type: 'parts', id: 3, parts });
    executor.start({ ...requestOf('Echo', {}, 'waits'), isStateless: true }, ignore);
    other.say({ type: 'reply', id: 4, reply: done('found in 2') });
    await settled();
    const started = other.sent.flatMap((sent) => (sent.type === 'start' ? [sent.id] : []));
    expect(started).toEqual([4, 5]);
    expect(mine.sent.filter(({ type }) => type === 'part-reply')).toEqual([
      answered(2, 'found in 2'),
      answered(3),
    ]);
  });

  it('are interrupted and killed with the call', async () => {
    const { work, mine, other } = startCall();
    mine.say({ type: 'parts', id: 3, parts });
    work.interrupt('enough');
    expect(other.sent.slice(1)).toEqual([{ type: 'interrupt', id: 4, reason: 'enough' }]);
    work.kill('too slow');
    expect(await work.reply).toEqual({ type: 'lost', message: 'too slow' });
    expect([mine.isEnded, other.isEnded]).toEqual([true, true]);
  });

  it('are interrupted when the call fails', async () => {
    const { work, mine, other } = startCall();
    mine.say({ type: 'parts', id: 3, parts });
    const error = {
      name: 'ToolError',
      message: 'Late.',
      code: 'limit-exceeded',
      data: {},
    } as const;
    mine.say({ type: 'reply', id: 3, reply: { type: 'failed', error } });
    await work.reply;
    expect(other.sent.at(-1)).toMatchObject({ type: 'interrupt', id: 4 });
  });
});
