// What a person calls a session.
import { SdkError } from '../../core/errors.ts';

/** UTF-16 units of a title or a tag. */
export const maxSessionText = 1_000;

/**
 * The text without blanks around it.
 *
 * @throws SdkError `bad-usage` for what is no text, an empty one, and one that is too long.
 */
export function checkSessionText(name: 'title' | 'tag', text: unknown): string {
  const trimmed = typeof text === 'string' ? text.trim() : '';
  if (trimmed !== '' && trimmed.length <= maxSessionText) return trimmed;
  const message = `A session's ${name} is a text of 1 to 1 000 characters.`;
  throw new SdkError('bad-usage', message, { data: { [name]: text } });
}
