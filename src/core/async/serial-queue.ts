// Runs asynchronous work one at a time: each one sees what the one before has done.

/**
 * Queues one piece of work. It begins, never synchronously, when the one before has ended, failed or not. Resolves and
 * rejects as the work does.
 */
export type InTurn = <Value>(work: () => Value | Promise<Value>) => Promise<Value>;

/** An empty queue. Work that takes a turn of its own queue waits for itself for ever. */
export function createSerialQueue(): InTurn {
  /** Never rejects. */
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const run = last.then(() => work());
    last = run.catch(() => undefined);
    return run;
  };
}
