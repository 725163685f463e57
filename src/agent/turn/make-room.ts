// Keeps the conversation within the model's window, before each request and once after an overflow.
// Called by loop.ts. The code for each measure is loaded when it is due.
import type { CacheTtl, Model } from '../../model/model.ts';
import type { Turn } from '../calls/turn.ts';
import { isClearingDue } from '../context/clear-results.ts';
import type { ClearingGround } from '../context/clear-results.ts';
import { hasJustCompacted, isCompactionDue, isCompactionFutile } from '../context/compact.ts';
import { measureContext } from '../context/context-size.ts';
import { currentModel } from './fallback.ts';
import type { Session } from '../session/session.ts';

// 30 000 tokens: a shorter conversation fits into the window of any model that can work with tools.
const askedFrom = 30_000;

const cacheTtlMs: Readonly<Record<CacheTtl, number>> = { '5m': 5 * 60_000, '1h': 60 * 60_000 };

/**
 * Prepares the conversation for a request. It requests the model's window, clears old results and
 * then compacts, each if it is due. If the window is unknown, it only does what a cold cache
 * requires. Rejects only if the journal is broken.
 */
export async function makeRoom(session: Session, turn: Turn): Promise<void> {
  const model = currentModel(session, turn.fallback);
  const { signal } = turn;
  if (lacksWindow(session, model)) await model.findContextWindow?.({ signal });
  const ground = toGround(session, model);
  if (turn.mayClear && isClearingDue(session.journal.fold, ground)) {
    const { microcompact } = await import('./microcompact.ts');
    turn.mayClear = await microcompact(session, ground);
  }
  if (needsCompaction(session, turn, model)) {
    const { compactSession } = await import('./compact-session.ts');
    const end = await compactSession(session, { trigger: 'auto', model, signal });
    // A second attempt would fail again, and cost money. A person or the next prompt may start
    // another one.
    turn.mayCompact = end.type !== 'failed';
  }
}

/**
 * Compacts after an overflow, at most once a turn. Resolves to false if there was nothing to
 * summarise. Rejects like {@link makeRoom}.
 */
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

/**
 * True if the model's window isn't known yet. The model requests it only once. A short conversation
 * doesn't wait for the answer.
 */
function lacksWindow({ journal }: Session, model: Model): boolean {
  if (model.contextWindow !== undefined || !model.findContextWindow) return false;
  return measureContext(journal.fold) >= askedFrom;
}

function toGround(
  { journal, host, cacheTtl }: Session,
  { contextWindow }: Model,
): Omit<ClearingGround, 'isReading'> {
  return {
    now: host.clock.now(),
    cacheTtlMs: cacheTtlMs[cacheTtl],
    tokens: contextWindow === undefined ? 0 : measureContext(journal.fold),
    contextWindow: contextWindow ?? Infinity,
  };
}

function needsCompaction(
  { journal: { fold }, spending, messages }: Session,
  turn: Turn,
  { contextWindow, maxTokens }: Model,
): boolean {
  if (contextWindow === undefined || !turn.mayCompact) return false;
  if (!isCompactionDue(measureContext(fold), { contextWindow, maxTokens })) return false;
  // A reply that its server continues must stay the last message.
  const isPaused = messages.at(-1)?.role === 'assistant';
  return !isPaused && !spending.isSpent() && !hasJustCompacted(fold) && !isCompactionFutile(fold);
}
