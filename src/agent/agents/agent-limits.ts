// How many agents there may be, and what they may be named. Asked by create-session-agents.ts before one is begun.
import { clipText } from '../../core/text/clip-text.ts';
import { SdkError } from '../../core/errors.ts';

// 8: each has a stream to the model's server; a browser opens six to a host over HTTP/1.1, and the rest wait.
const maxRunning = 8;
// 2: what waits for room leaves some to those that are refused without.
const keptRoom = 2;
// 50: what goes wrong must not go on for ever at somebody's cost.
const maxAgents = 50;
// 3: an agent of the session's own, one of that, and one of that.
export const maxDepth = 3;

/** How things stand. */
export interface AgentCounts {
  /** The depth of the agent that is to be started. */
  readonly depth: number;
  /** In the whole session. */
  readonly begun: number;
  /** The ids of those that run, or are about to. */
  readonly running: readonly string[];
}

/** @throws SdkError `limit-exceeded` where no other may be begun. */
export function checkLimits({ depth, begun, running }: AgentCounts): void {
  if (depth > maxDepth) {
    refuse(
      maxDepth,
      `Agents may be begun ${maxDepth} deep, and you are at the end. Do the work yourself.`,
    );
  }
  checkRunning(running, 1);
  if (begun >= maxAgents) {
    refuse(
      maxAgents,
      `The session has begun ${maxAgents} agents, as many as it may. Write to one of them by SendMessage, or do the work yourself.`,
    );
  }
}

/**
 * `running`: the ids of those that run, or are about to.
 *
 * @throws SdkError `limit-exceeded` where `wanted` more may not.
 */
export function checkRunning(running: readonly string[], wanted: number): void {
  if (wanted === 0 || running.length + wanted <= maxRunning) return;
  refuse(
    maxRunning,
    running.length === 0
      ? `${wanted} agents would run, and ${maxRunning} may. Write to fewer of them.`
      : `${running.length} agents run already, and ${maxRunning} may. Wait until one has ended, or stop one: ${running.join(', ')}.`,
  );
}

/** May one more of those run that wait for room? */
export function hasRoom(running: readonly string[]): boolean {
  return running.length < maxRunning - keptRoom;
}

function refuse(limit: number, message: string): never {
  throw new SdkError('limit-exceeded', message, { data: { limit } });
}

/** @throws SdkError `bad-usage` for what can't be a name, and for one of `taken`. */
export function checkName(name: string, taken: readonly (string | undefined)[]): void {
  const isTaken = taken.includes(name);
  if (!isTaken && /^[\w-]{1,64}$/u.test(name)) return;
  const why = isTaken ? 'another one is' : 'use letters, digits, - and _, at most 64';
  throw new SdkError('bad-usage', `An agent can't be named "${clipText(name, 100)}": ${why}.`, {
    data: { name },
  });
}
