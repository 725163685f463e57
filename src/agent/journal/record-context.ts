// What is appended to the conversation beside prompts, replies and results, as a record of the journal.
import type { ContextRecord } from '../../core/session/journal.ts';
import type { MessageParam } from '../../core/messages/messages.ts';
import type { News } from './folded.ts';

/** One record, or none where there is nothing to append. `source` says who adds it. */
export function toContext(
  source:
    'hook' | 'memory' | 'names' | 'reminder' | 'sent-back' | 'task' | 'tool' | 'user' | 'void',
  messages: readonly MessageParam[] = [],
): ContextRecord[] {
  return messages.length === 0 ? [] : [{ type: 'context', source, messages }];
}

/** The same, of what the conversation is to be told. */
export function toNewsContext(news: readonly News[]): ContextRecord[] {
  const tells = news.map(({ id }) => id);
  return toContext(
    'task',
    news.map(({ message }) => message),
  ).map((context) => ({ ...context, tells }));
}
