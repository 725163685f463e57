// What becomes of a call whose worker is gone. What a handler did is in its draft, which went with the
// worker, so starting anew is safe, unless something left the worker. Used by worker-executor.ts.
import type { WorkRequest } from '../../../core/tool/ports.ts';
import type { Call } from './call-table.ts';

/** It is started anew, as a suspect in a worker of its own; or it is lost, for this reason. */
export type Fate =
  | { readonly type: 'again'; readonly isSuspect: boolean }
  | { readonly type: 'lost'; readonly message: string };

/**
 * May it be run a second time at all? It may not any more once it was interrupted, has called a tool or
 * has had another effect outside of its draft. The draft of a nested call is a fork of one that went
 * with the worker; what was sent over the network can't be taken back; a background call's worker ends
 * with it; and a part is done by the call itself.
 */
export function isRepeatable({ outerCallId, network, isBackground, part }: WorkRequest): boolean {
  const isWhole = outerCallId === undefined && part === undefined;
  return isWhole && network === undefined && !isBackground;
}

/** As it was when it was started, but for what is known of it. */
export function repeat(call: Call, isSuspect: boolean): void {
  call.isSuspect = isSuspect;
  call.worker = undefined;
  call.wasRepeated = true;
  call.hasClockStarted = false;
  call.unconfirmedState = undefined;
}

/** Its worker was ended for another call's sake. Once: who is ended with others again is lost. */
export function fateAfterKill(call: Call, reason: string): Fate {
  if (call.isRepeatable && !call.wasRepeated) return { type: 'again', isSuspect: false };
  return { type: 'lost', message: `Its worker was ended: ${reason}` };
}

/**
 * Its worker ended by itself, and nobody can tell which of its calls was to blame: each gets a worker
 * in which nothing else runs. Where that one ends too, it is the call that ends them.
 */
export function fateAfterDeath(call: Call, wasReady: boolean, reason: string): Fate {
  if (call.isSuspect) {
    return {
      type: 'lost',
      message:
        `${reason} It ended a second worker, in which nothing else ran, so it is not run again. ` +
        'Ask for less at once, or in another way.',
    };
  }
  // A worker that never got ready would not the next time either.
  if (!call.isRepeatable || !wasReady) return { type: 'lost', message: reason };
  return { type: 'again', isSuspect: true };
}
