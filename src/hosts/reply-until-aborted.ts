// Waits for a reply that a person may abort.
import { createAbortError } from '../core/async/abort.ts';
import type { RunningWork, WorkReply } from '../core/tool/ports.ts';

/**
 * Rejects with `aborted` as soon as the signal is aborted. The worker is interrupted, and its reply
 * is dropped.
 */
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
