// Implements the port by which the tool Snip shortens its agent's conversation. Loaded with the
// first call that uses it.
import { SdkError } from '../../core/errors.ts';
import type {
  HistoryPart,
  HistorySpan,
  SnippedHistory,
} from '../../core/session/session-history.ts';
import { estimateTokens } from '../context/context-size.ts';
import { listParts, toSnipMessage } from '../context/snip.ts';
import type { SessionJournal } from '../journal/session-journal.ts';
import type { Session } from './session.ts';

/** Implements `SessionHistory.list`. */
export function listHistory({ journal }: Pick<Session, 'journal'>): readonly HistoryPart[] {
  return listParts(journal.fold);
}

/** Implements `SessionHistory.snip`. */
export function snipHistory(
  { journal, states }: Pick<Session, 'journal' | 'states'>,
  callId: string,
  span: HistorySpan,
): Promise<SnippedHistory> {
  // A cell may make several such calls at once.
  return states.runAlone(() => snipAlone(journal, callId, span));
}

async function snipAlone(
  { fold, record }: SessionJournal,
  callId: string,
  { from, to, note }: HistorySpan,
): Promise<SnippedHistory> {
  const done = fold.snips.get(callId);
  const isSame = done?.parts[0]?.entries[0] === from && done.parts.at(-1)?.entries[0] === to;
  if (done && isSame) return { parts: done.parts, freedTokens: done.freedTokens };
  const all = listParts(fold);
  const first = requirePart(all, from);
  const last = requirePart(all, to);
  if (first > last) {
    throw new SdkError(
      'bad-usage',
      `Part ${from} comes after part ${to}: name the older one first.`,
      {
        data: { from, to },
      },
    );
  }
  const parts = all.slice(first, last + 1);
  const message = toSnipMessage(parts, note);
  const tokens = parts.reduce((sum, part) => sum + part.tokens, 0);
  const freedTokens = tokens - estimateTokens(message);
  if (freedTokens <= 0) {
    throw new SdkError(
      'bad-usage',
      'The note is longer than what it would stand for. Shorten it, or leave that part.',
    );
  }
  await record({ type: 'snipped', callId, parts, message, freedTokens });
  return { parts, freedTokens };
}

/** The index of the part in the list. */
function requirePart(parts: readonly HistoryPart[], id: number): number {
  const at = parts.findIndex(({ entries }) => entries[0] === id);
  if (at >= 0) return at;
  throw new SdkError(
    'bad-usage',
    `There is no part ${id} that could be taken out. Call Snip without a span: it lists those that can.`,
    { data: { part: id } },
  );
}
