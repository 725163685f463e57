// Limits of the number of agents, and of their names. create-session-agents.ts checks them before
// it begins an agent.
import { clipText } from '../../core/text/clip-text.ts';
import { SdkError } from '../../core/errors.ts';

// 8: each agent has a stream to the model's server. Over HTTP/1.1 a browser opens six for each host, and the others
// wait.
const maxRunning = 8;
// 2: agents that can wait leave this room for agents that would be refused.
const keptRoom = 2;
// 50: a session in an endless loop must not cost money for ever.
const maxAgents = 50;
// 3: a sub-agent of the main agent, a sub-agent of that one, and one more level.
export const maxDepth = 3;

/** The counts that the limits are checked against. */
export interface AgentCounts {
  /** The depth of the agent that is to be started. */
  readonly depth: number;
  /** How many agents the whole session has started. */
  readonly begun: number;
  /** The ids of agents that run, or are about to. */
  readonly running: readonly string[];
}

/**
 * Checks the limits.
 * @throws SdkError `limit-exceeded` if no other agent may be started
 */
export function checkAgentLimits({ depth, begun, running }: AgentCounts): void {
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
 * Checks the limit of running agents. `running`: the ids of agents that run, or are about to.
 * @throws SdkError `limit-exceeded` if `wanted` more may not run.
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

/** True if one more of the agents that wait for room may run. */
export function hasRoom(running: readonly string[]): boolean {
  return running.length < maxRunning - keptRoom;
}

function refuse(limit: number, message: string): never {
  throw new SdkError('limit-exceeded', message, { data: { limit } });
}

/**
 * Checks a name.
 * @throws SdkError `bad-usage` for a name that can't be one, and for one of `taken`.
 */
export function checkName(name: string, taken: readonly (string | undefined)[]): void {
  const isTaken = taken.includes(name);
  if (!isTaken && /^[\w-]{1,64}$/u.test(name)) return;
  const why = isTaken ? 'another one is' : 'use letters, digits, - and _, at most 64';
  throw new SdkError('bad-usage', `An agent can't be named "${clipText(name, 100)}": ${why}.`, {
    data: { name },
  });
}
