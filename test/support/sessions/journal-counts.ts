// Finds entries that a journal may have only once, and counts its usage. For tests of sessions that were killed.
import type { JournalEntry } from '../../../src/core/session/journal.ts';

/** Entries that must be unique, but occur twice. */
export function findTwice(entries: readonly JournalEntry[]): string[] {
  const keys = entries.flatMap((entry) => {
    switch (entry.type) {
      case 'prompt':
        return `prompt ${entry.uuid}`;
      case 'turn':
        return `turn ${entry.prompt}`;
      case 'request':
        return `request ${entry.step}`;
      case 'reply':
        return `reply ${entry.uuid}`;
      case 'block':
        return `block ${entry.step} ${entry.index}`;
      case 'question':
      case 'answer':
        return `${entry.type} ${entry.requestId}`;
      case 'call':
        return `call ${entry.id} ${entry.attempt}`;
      case 'settled':
        return `settled ${entry.id}`;
      case 'results':
        return `results ${entry.step}`;
      case 'usage':
        return `usage ${entry.requestId}`;
      case 'task':
        return `task ${entry.id} ${entry.status}`;
      default:
        return [];
    }
  });
  return keys.filter((key, at) => keys.indexOf(key) !== at);
}

/** True if the journal already had the answer when the session was opened again. */
export function answeredBefore(entries: readonly JournalEntry[], requestId: string): boolean {
  const again = entries.findLastIndex((entry) => entry.type === 'opened');
  return entries
    .slice(0, again)
    .some((entry) => entry.type === 'answer' && entry.requestId === requestId);
}

/** Tokens that the model has written in turns, as the journal counts them. */
export function countUsage(entries: readonly JournalEntry[]): number {
  return sum(entries, (entry) =>
    entry.type === 'usage' && entry.purpose === 'turn' ? entry.usage.output_tokens : 0,
  );
}

/** The expected tokens: each complete reply counts once, and nothing else does. */
export function countReplies(entries: readonly JournalEntry[]): number {
  return sum(entries, (entry) =>
    entry.type === 'reply' && entry.end === 'whole' ? entry.message.usage.output_tokens : 0,
  );
}

function sum(entries: readonly JournalEntry[], toTokens: (entry: JournalEntry) => number): number {
  return entries.reduce((tokens, entry) => tokens + toTokens(entry), 0);
}
