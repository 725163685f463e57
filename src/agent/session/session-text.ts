// Checks a session's title or tag.
import { SdkError } from '../../core/errors.ts';

/** The maximum number of UTF-16 units of a title or a tag. */
export const maxSessionText = 1_000;

/**
 * The trimmed text.
 * @throws SdkError `bad-usage` if the value isn't a string, is empty, or is too long
 */
export function checkSessionText(name: 'title' | 'tag', text: unknown): string {
  const trimmed = typeof text === 'string' ? text.trim() : '';
  if (trimmed !== '' && trimmed.length <= maxSessionText) return trimmed;
  const message = `A session's ${name} is a text of 1 to 1 000 characters.`;
  throw new SdkError('bad-usage', message, { data: { [name]: text } });
}
