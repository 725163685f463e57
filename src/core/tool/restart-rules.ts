// What becomes of a call whose worker is gone. What a handler did is in its draft, which went with the
// worker, so starting again is safe, unless something left the worker. Used by hosts and the agent.
import type { WorkRequest } from './ports.ts';

/**
 * `died`: by itself. `ended`: for another call's sake, or because it didn't start. `unusable`: it couldn't be
 * started, or doesn't understand the page, and nor would the next one.
 */
export interface WorkerLoss {
  readonly type: 'died' | 'ended' | 'unusable';
  readonly message: string;
}

/** What decides whether a call is tried once more. */
export interface RetriedCall {
  /** The call has done nothing outside of its draft, and nobody has interrupted it. */
  readonly isRepeatable: boolean;
  /** The call was repeated once already. */
  readonly isAlone: boolean;
}

/**
 * May it be run a second time at all? It may not any more once it was interrupted, has called a tool or has had another
 * effect outside of its draft. The draft of a nested call is a fork of one that ended with the worker. What was sent
 * over the network can't be taken back. A background call's worker ends with it. The call itself does a part again.
 */
export function isRepeatable({ outerCallId, network, isBackground, part }: WorkRequest): boolean {
  const isWhole = outerCallId === undefined && part === undefined;
  return isWhole && network === undefined && !isBackground;
}

/**
 * Why the call is lost with its worker. Undefined: it is tried once more, alone in its worker, because nobody
 * can tell which of a worker's calls has ended it. A call that ends the second worker, too, is to blame.
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
