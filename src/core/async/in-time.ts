// Waits for work as long as its end is to be expected: for the answer of a bucket, an owner's directory or a server.
import type { Clock } from '../tool/ports.ts';
import { systemClock } from './system-clock.ts';

/** Settles like the request. Rejects with `tooLate()` after `ms`; a later answer is ignored. */
export async function inTime<Value>(
  request: Promise<Value>,
  ms: number,
  tooLate: () => Error,
  clock: Pick<Clock, 'after'> = systemClock,
): Promise<Value> {
  let timer: Disposable | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = clock.after(ms, () => reject(tooLate()));
  });
  try {
    return await Promise.race([request, late]);
  } finally {
    timer?.[Symbol.dispose]();
  }
}

/**
 * Resolves to true when the work is done, and to false after `ms`, while the work continues.
 * Rejects like the work.
 */
export async function isDoneIn(
  work: Promise<unknown>,
  ms: number,
  clock: Pick<Clock, 'after'> = systemClock,
): Promise<boolean> {
  let timer: Disposable | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = clock.after(ms, () => resolve(false));
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    timer?.[Symbol.dispose]();
  }
}
