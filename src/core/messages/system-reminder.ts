// Marks text that the agent itself adds to the conversation, so that neither the model nor a reader thinks that the
// user wrote it.
import type { MessageParam } from './messages.ts';

const opening = '<system-reminder>\n';
const closing = '\n</system-reminder>';

/** Inverse: {@link readSystemReminder}. */
export function toSystemReminder(text: string): MessageParam {
  return {
    role: 'user',
    content: [{ type: 'text', text: `${opening}${text}${closing}` }],
  };
}

/** The text of one reminder; undefined for any other text. Inverse: {@link toSystemReminder}. */
export function readSystemReminder(text: string): string | undefined {
  const isReminder = text.startsWith(opening) && text.endsWith(closing);
  return isReminder ? text.slice(opening.length, -closing.length) : undefined;
}

/**
 * Tags that only the agent may write in a reminder: its end, lists of tools, skills and agents, and marks of quoted
 * texts.
 */
const ownTags =
  /<(?=\/?(?:(?:system-reminder|[a-z]+(?:[-_][a-z]+)*[-_](?:tools|skills|agents))>|mcp-(?:server|app)\b))/giu;

/**
 * Quotes untrusted text for a reminder. Security: nothing in it can end the reminder, or look like the agent's own
 * text about tools, skills, agents, servers or apps.
 */
export function quoteForReminder(text: string): string {
  return text.replace(ownTags, '&lt;');
}
