// How a host waits for work that a person may stop.
import { createAbortError } from '../core/async/abort.ts';
import type { RunningWork, WorkReply } from '../core/tool/ports.ts';

/** Rejects with `aborted` at once when the signal is. The worker is interrupted, and its reply is dropped. */
export function replyUntilAborted(
  work: RunningWork,
  signal: AbortSignal | undefined,
  reason: string,
): Promise<WorkReply> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      work.interrupt(reason);
      reject(createAbortError(signal?.reason));
    };
    signal?.addEventListener('abort', abort, { once: true });
    void work.reply.then((reply) => {
      signal?.removeEventListener('abort', abort);
      resolve(reply);
    });
  });
}
