// Waits for an answer as long as one is to be expected: of a bucket, an owner's directory or a language server.
import { systemClock } from './system-clock.ts';

/** What the request gives. Rejects with `tooLate()` after `ms`; what it gives later nobody hears of. */
export async function inTime<Value>(
  request: Promise<Value>,
  ms: number,
  tooLate: () => Error,
): Promise<Value> {
  let timer: Disposable | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = systemClock.after(ms, () => reject(tooLate()));
  });
  try {
    return await Promise.race([request, late]);
  } finally {
    timer?.[Symbol.dispose]();
  }
}
