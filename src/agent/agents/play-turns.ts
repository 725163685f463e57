// Plays the turns of one agent until it has nothing to do: that which was cut, its task, and what it is written.
// Called by create-session-agents.ts. The loop is lent to it, since the loop tells of agents.
import type { Clock } from '../../core/tool/ports.ts';
import type { Prompt } from '../turn/between-turns.ts';
import type { TurnOptions } from '../calls/turn.ts';
import type { TurnResult } from '../turn/loop.ts';
import type { Session } from '../session/session.ts';
import type { NamedDefinition } from './definitions.ts';

const defaultMaxTurns = 100;

/** The loop, as `loop.ts`, `resume-turn.ts` and `to-result-message.ts` have it. */
export interface TurnRunner {
  run(agent: Session, prompt: Prompt['message'], options: TurnOptions): Promise<TurnResult>;
  resume(agent: Session, options: TurnOptions): Promise<TurnResult | undefined>;
  end(agent: Session, result: TurnResult, durationMs: number): Promise<void>;
}

/** What its turns go by. */
export interface PlayOptions extends Pick<TurnOptions, 'includePartialMessages' | 'signal'> {
  readonly clock: Pick<Clock, 'now'>;
}

/** Resolves when it is at rest, or a turn didn't end by itself. Rejects where the journal is broken. */
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

/** The oldest prompt that no turn has taken up, else what it was written. */
function nextPrompt({ journal, tasks }: Session): Prompt | undefined {
  return (journal.fold.waiting[0] as Prompt | undefined) ?? tasks.takeNews();
}
