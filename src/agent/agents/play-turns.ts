// Plays the turns of one agent until it has nothing to do: the turn that was cut, its task, and its mail. Called by
// create-session-agents.ts, which passes the loop in, because the loop depends on the agents.
import type { Clock } from '../../core/tool/ports.ts';
import type { Prompt } from '../turn/between-turns.ts';
import type { TurnOptions } from '../calls/turn.ts';
import type { TurnResult } from '../turn/loop.ts';
import type { Session } from '../session/session.ts';
import type { NamedDefinition } from './definitions.ts';

const defaultMaxTurns = 100;

/** The functions of `loop.ts`, `resume-turn.ts` and `to-result-message.ts` for a turn. */
export interface TurnRunner {
  run(agent: Session, prompt: Prompt['message'], options: TurnOptions): Promise<TurnResult>;
  resume(agent: Session, options: TurnOptions): Promise<TurnResult | undefined>;
  end(agent: Session, result: TurnResult, durationMs: number): Promise<void>;
}

/** The options of the turns. */
export interface PlayOptions extends Pick<TurnOptions, 'includePartialMessages' | 'signal'> {
  readonly clock: Pick<Clock, 'now'>;
}

/** Resolves when the agent is idle, or a turn didn't end normally. Rejects if the journal is broken. */
export async function playTurns(
  agent: Session,
  definition: NamedDefinition,
  turns: TurnRunner,
  { clock, ...rest }: PlayOptions,
): Promise<void> {
  const { journal: own } = agent;
  const turn = {
    ...rest,
    maxTurns: definition.maxTurns ?? defaultMaxTurns,
  };
  for (;;) {
    const startedAt = clock.now();
    const next = nextPrompt(agent);
    let result: TurnResult | undefined;
    if (own.fold.turn) result = await turns.resume(agent, turn);
    else if (next) {
      agent.usage.startTurn();
      const { message, origin, uuid, tells } = next;
      const about = { promptId: uuid, tells, ...(origin && { origin }) };
      result = await turns.run(agent, message, { ...turn, ...about });
    } else return;
    if (!result) return;
    await turns.end(agent, result, clock.now() - startedAt);
    if (own.broken.aborted) throw own.broken.reason;
    if (result.end.type !== 'completed') return;
  }
}

/** The oldest prompt without a turn, or else the agent's mail. */
function nextPrompt({ journal, tasks }: Session): Prompt | undefined {
  return (journal.fold.waiting[0] as Prompt | undefined) ?? tasks.takeNews();
}
