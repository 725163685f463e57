// What a journal may have once only, and what it counts: for tests of sessions that were killed.
import type { JournalEntry } from '../../src/core/journal.ts';

/** What may be there once only, and is there again. */
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

/** Tokens: each reply that came whole counts once, and nothing else. */
export function countUsage(entries: readonly JournalEntry[]): number {
  return entries.reduce((sum, entry) => {
    return entry.type === 'usage' ? sum + entry.usage.output_tokens : sum;
  }, 0);
}

export function countReplies(entries: readonly JournalEntry[]): number {
  const whole = entries.filter((entry) => entry.type === 'reply' && entry.end === 'whole');
  return whole.length * 5;
}
