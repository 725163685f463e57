// Decides whether a call is retried when its worker has ended. A handler's changes are in its draft, which was lost
// with the worker. So a retry is safe, unless the call had an effect outside of the worker. Used by hosts and the
// agent.
import type { WorkRequest } from './ports.ts';

/**
 * `died`: the worker ended by itself. `ended`: it was terminated because of another call, or because it didn't start.
 * `unusable`: it couldn't be started, or doesn't understand the page, and the next worker wouldn't either.
 */
export interface WorkerLoss {
  readonly type: 'died' | 'ended' | 'unusable';
  readonly message: string;
}

/** What decides whether a call is tried once more. */
export interface RetriedCall {
  /** The call has done nothing outside of its draft, and nobody has interrupted it. */
  readonly isRepeatable: boolean;
  /** The call has been repeated once already. */
  readonly isAlone: boolean;
}

/**
 * True if the call may be run a second time, as far as its request shows. A nested call may not: its draft is a fork
 * of a draft that was lost with the worker. A call with network access may not: what it sent can't be taken back. A
 * background call may not: its worker ends with it. A part isn't repeated here: the realm that runs the call does it
 * again.
 */
export function isRepeatable({ outerCallId, network, isBackground, part }: WorkRequest): boolean {
  const isWhole = outerCallId === undefined && part === undefined;
  return isWhole && network === undefined && !isBackground;
}

/**
 * Why the call is lost with its worker. Undefined: it is retried alone in a worker, because nobody knows which of the
 * worker's calls ended it. If the second worker ends, too, this call was the cause.
 */
export function reasonOfLoss(call: RetriedCall, { type, message }: WorkerLoss): string | undefined {
  if (call.isAlone && type === 'died') {
    return (
      `${message} It ended a second worker, in which nothing else ran, so it is not run again. ` +
      'Ask for less at once, or in another way.'
    );
  }
  return call.isRepeatable && !call.isAlone && type !== 'unusable' ? undefined : message;
}
