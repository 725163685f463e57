// Keeps the conversation within the model's window: before each request, and once after an overflow. Called by
// loop.ts; what does the work is loaded when it is due.
import type { Model } from '../model/model.ts';
import type { Turn } from './calls/turn.ts';
import { hasJustCompacted, isCompactionDue, isCompactionFutile } from './context/compact.ts';
import { measureContext } from './context/context-size.ts';
import { currentModel } from './fallback.ts';
import type { Session } from './session/session.ts';

// As createAnthropicModel has it, for models that don't say.
const defaultMaxTokens = 16_384;

/** Before a request. Does nothing where the window is unknown. Rejects only where the journal is broken. */
export async function makeRoom(session: Session, turn: Turn): Promise<void> {
  const model = currentModel(session, turn.fallback);
  if (mayCompact(session, turn) && isDue(session, model)) {
    const { compactSession } = await import('./compact-session.ts');
    const { signal } = turn;
    const end = await compactSession(session, { trigger: 'auto', model, signal });
    // It would fail again, at somebody's cost: a person may ask for it, or the next prompt.
    turn.failedCompactions += end.type === 'failed' ? 1 : 0;
  }
}

/** After an overflow; at most once a turn. False where nothing could be summed up. Rejects as {@link makeRoom}. */
export async function compactAfterOverflow(session: Session, turn: Turn): Promise<boolean> {
  turn.hasCompacted = true;
  // The page was closed between the compaction and its request.
  if (hasJustCompacted(session.journal.fold)) return true;
  const { compactSession } = await import('./compact-session.ts');
  const model = currentModel(session, turn.fallback);
  const { signal } = turn;
  const end = await compactSession(session, { trigger: 'overflow', model, signal });
  return end.type === 'compacted';
}

function mayCompact({ journal: { fold }, spending, messages }: Session, turn: Turn): boolean {
  // A reply that its server is to go on with must stay the end.
  const isPaused = messages.at(-1)?.role === 'assistant';
  if (turn.failedCompactions > 0 || isPaused || spending.isSpent()) return false;
  return !hasJustCompacted(fold) && !isCompactionFutile(fold);
}

function isDue({ journal }: Session, { contextWindow, maxTokens = defaultMaxTokens }: Model) {
  if (contextWindow === undefined) return false;
  return isCompactionDue(measureContext(journal.fold), { contextWindow, maxTokens });
}
