// `/goal` sets the condition that the session works for, shows it or removes it.
import { clipText } from '../../../core/text/clip-text.ts';
import type { KeptGoal } from '../../../core/session/goal.ts';
import {
  countUsedTokens,
  getLastGoal,
  toGoalRecord,
  toNewGoal,
} from '../../session/session-goal.ts';
import type { CommandRun } from '../built-in-commands.ts';
import { isGoalEnd } from './goal-words.ts';
import { formatCount } from './format.ts';

/** Rejects if the condition is invalid. */
export async function runGoal({ session, args, withTurn }: CommandRun): Promise<string> {
  const goal = getLastGoal(session);
  const isActive = goal !== undefined && goal.outcome === undefined;
  if (isGoalEnd(args)) {
    if (!isActive) return 'There is no goal to take back.';
    await session.journal.record(toGoalRecord({ ...goal, outcome: 'cleared' }));
    return `The goal is taken back: ${clipText(goal.condition, 200)}`;
  }
  if (args === '') {
    if (!goal) return 'There is no goal. Write /goal and what is to hold: /goal all tests pass';
    const tokens = countUsedTokens(session) - goal.tokens_at_start;
    return isActive
      ? describeActive(goal, session.host.clock.now() - goal.set_at, tokens)
      : describeEnded(goal);
  }
  withTurn(toGoalRecord(toNewGoal(session, args)));
  return 'The goal is set.';
}

function describeActive(goal: KeptGoal, ms: number, tokens: number): string {
  const minutes = Math.round(ms / 60_000);
  const checks = goal.iterations === 1 ? 'checked once' : `checked ${goal.iterations} times`;
  return [
    `Goal: ${goal.condition}`,
    `Set ${minutes} min ago, ${checks}, ${formatCount(tokens)} tokens since. /goal clear takes it back.`,
    ...(goal.last_reason === undefined ? [] : [`Last check: ${goal.last_reason}`]),
  ].join('\n');
}

const endings = { met: 'was met', impossible: 'can’t be met', cleared: 'was taken back' } as const;

function describeEnded({ condition, outcome = 'cleared', last_reason: reason }: KeptGoal): string {
  return [
    `There is no goal now. The last one ${endings[outcome]}: ${condition}`,
    ...(reason === undefined ? [] : [`Last check: ${reason}`]),
  ].join('\n');
}
