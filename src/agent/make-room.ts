// Keeps the conversation within the model's window: before each request, and once after an overflow. Called by
// loop.ts; what does the work is loaded when it is due.
import type { CacheTtl, Model } from '../model/model.ts';
import type { Turn } from './calls/turn.ts';
import { isClearingDue } from './context/clear-results.ts';
import { hasJustCompacted, isCompactionDue, isCompactionFutile } from './context/compact.ts';
import { measureContext } from './context/context-size.ts';
import { currentModel } from './fallback.ts';
import type { Session } from './session/session.ts';

// As createAnthropicModel has it, for models that don't say.
const defaultMaxTokens = 16_384;

const cacheTtlMs: Readonly<Record<CacheTtl, number>> = { '5m': 5 * 60_000, '1h': 60 * 60_000 };

/**
 * Before a request: clears old results, then sums up, each where it is due. Where the window is unknown, only
 * what a cold cache is a reason for. Rejects only where the journal is broken.
 */
export async function makeRoom(session: Session, turn: Turn): Promise<void> {
  const model = currentModel(session, turn.fallback);
  await learnWindow(session, turn, model);
  await clearOld(session, turn, model);
  if (mayCompact(session, turn) && isDue(session, model)) {
    const { compactSession } = await import('./compact-session.ts');
    const { signal } = turn;
    const end = await compactSession(session, { trigger: 'auto', model, signal });
    // It would fail again, at somebody's cost: a person may ask for it, or the next prompt.
    turn.failedCompactions += end.type === 'failed' ? 1 : 0;
  }
}

// 30 000 tokens: what is shorter fits into the window of any model that can work with tools.
const askedFrom = 30_000;

/** Asked once by the model itself, and only where it may matter soon: before a first answer nobody waits for it. */
async function learnWindow({ journal }: Session, { signal }: Turn, model: Model): Promise<void> {
  if (model.contextWindow !== undefined || !model.findContextWindow) return;
  if (measureContext(journal.fold) >= askedFrom) await model.findContextWindow({ signal });
}

async function clearOld(session: Session, turn: Turn, { contextWindow }: Model): Promise<void> {
  const { journal, host, cacheTtl } = session;
  const ground = {
    now: host.clock.now(),
    cacheTtlMs: cacheTtlMs[cacheTtl],
    tokens: contextWindow === undefined ? 0 : measureContext(journal.fold),
    contextWindow: contextWindow ?? Infinity,
  };
  if (!turn.mayClear || !isClearingDue(journal.fold, ground)) return;
  const { clearResults } = await import('./clear-session.ts');
  turn.mayClear = await clearResults(session, ground);
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
