// Checks the title and the tag that a person gives a session.
import { SdkError } from '../../core/errors.ts';

/** UTF-16 units of a title or a tag. */
export const maxSessionText = 1_000;

/**
 * The text without blanks around it.
 * @throws SdkError `bad-usage` for a value that is no text, an empty text, and one that is too
 * long.
 */
export function checkSessionText(name: 'title' | 'tag', text: unknown): string {
  const trimmed = typeof text === 'string' ? text.trim() : '';
  if (trimmed !== '' && trimmed.length <= maxSessionText) return trimmed;
  const message = `A session's ${name} is a text of 1 to 1 000 characters.`;
  throw new SdkError('bad-usage', message, { data: { [name]: text } });
}
