// Marks text that the agent itself adds to the conversation, so that neither model nor reader takes
// it for the user's.
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

/** What only the agent may say in a reminder: where it ends, lists of tools, skills and agents, and whose words follow. */
const ownTags =
  /<(?=\/?(?:(?:system-reminder|[a-z]+(?:[-_][a-z]+)*[-_](?:tools|skills|agents))>|mcp-(?:server|app)\b))/giu;

/**
 * Somebody else's text, fit to stand in a reminder. Security: nothing in it ends the reminder, or passes
 * for what the agent itself tells of tools, skills, agents, servers or apps.
 */
export function quoteForReminder(text: string): string {
  return text.replace(ownTags, '&lt;');
}
