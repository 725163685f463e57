// Informs the model of the token budget of its turn (`taskBudget`). Loaded by create-request.ts for
// a query with such a budget.
import type { JournalEntry } from '../../core/session/journal.ts';
import type { TaskBudget } from '../../model/model.ts';
import type { Session } from '../session/session.ts';

/** The known usage of the open turn. */
interface Spent {
  /** The turn's number. */
  readonly turn: number;
  /** The last entry that was counted. */
  upTo: number;
  /** The tokens of the model's replies, and of the messages between them. */
  tokens: number;
  /** The input and output tokens of the newest reply. */
  newest: number | undefined;
  /**
   * The value of `tokens` when the conversation was last shortened. Undefined: the whole turn is in
   * the conversation.
   */
  atCut: number | undefined;
}

const known = new WeakMap<Session, Spent>();

/**
 * The budget of the open turn. The server counts the tokens of the conversation. If it was
 * shortened during the turn, the server gets the remaining tokens at that time. The number stays
 * the same until the conversation is shortened again, so that the API's cache matches.
 */
export async function toTaskBudget(
  session: Session,
  { total }: Pick<TaskBudget, 'total'>,
): Promise<TaskBudget> {
  const { fold } = session.journal;
  const turn = fold.turn?.n ?? fold.length;
  const before = known.get(session);
  const spent: Spent =
    before?.turn === turn
      ? before
      : { turn, upTo: turn - 1, tokens: 0, newest: undefined, atCut: undefined };
  known.set(session, spent);
  for await (const entry of fold.read(spent.upTo + 1, fold.length)) {
    if (entry.agent === undefined) count(spent, entry);
    spent.upTo = entry.n;
  }
  if (spent.atCut === undefined) return { total };
  // At least 1, because the model still has to report how far it has come.
  return { total, remaining: Math.max(1, total - spent.atCut) };
}

function count(spent: Spent, entry: JournalEntry): void {
  switch (entry.type) {
    case 'usage': {
      if (entry.purpose !== 'turn') return;
      const { input_tokens, output_tokens, ...cached } = entry.usage;
      const { cache_read_input_tokens: read, cache_creation_input_tokens: written } = cached;
      const input = input_tokens + (read ?? 0) + (written ?? 0);
      // The input is smaller than before if the conversation was shortened in between.
      spent.tokens += output_tokens + Math.max(0, input - (spent.newest ?? input));
      spent.newest = input + output_tokens;
      return;
    }
    case 'compacted':
    case 'cleared':
    case 'snipped':
      spent.atCut = spent.tokens;
  }
}
