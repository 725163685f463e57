// A pool of workers that a test plays, and the numbers of the calls that each was sent.
import type { WorkRequest } from '../../../src/core/tool/ports.ts';
import { createWorkerExecutor } from '../../../src/hosts/browser/pool/worker-executor.ts';
import { createVirtualClock } from '../../../src/hosts/inline/virtual-clock.ts';
import { connectByHand } from './hand-driven-workers.ts';
import { done, ignore, requestOf } from '../stages/work-request.ts';

/** A pool whose workers get ready when the test says so. */
export function openPool(size = 2) {
  const clock = createVirtualClock();
  const { connect, workers } = connectByHand();
  const executor = createWorkerExecutor(connect, { size, clock });
  let calls = 0;
  const start = (request: Partial<WorkRequest> = {}) => {
    calls += 1;
    const id = calls;
    const work = executor.start({ ...requestOf('Echo', {}, `call-${id}`), ...request }, ignore);
    const reply = (output: unknown = id) => {
      const worker = workers.findLast((each) => idsOf(each).includes(id));
      worker?.say({ type: 'reply', id, reply: done(output) });
      return work.reply;
    };
    return { ...work, id, finish: reply };
  };
  return {
    clock,
    executor,
    workers,
    start,
    startFree: (request: Partial<WorkRequest> = {}) => start({ ...request, isStateless: true }),
    /** Its calls of Search yield the thread. */
    ready: (at: number) => workers[at]?.ready(['Search']),
    /** The numbers of the calls that each worker was sent. */
    sent: () => workers.map(idsOf),
  };
}

function idsOf({ sent }: ReturnType<typeof connectByHand>['workers'][number]): number[] {
  return sent.flatMap((message) => (message.type === 'start' ? [message.id] : []));
}
