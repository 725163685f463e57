// Makes the short summary line of a call.
import { clipText } from '../text/clip-text.ts';

/** The longest summary of a call, in UTF-16 units. */
export const summaryMaxLength = 50;

/** One line of at most 50 characters. `keep: 'end'` is for paths, whose end says most. */
export function toSummary(text: string, keep: 'start' | 'end' = 'start'): string {
  const line = text.replace(/\s+/gu, ' ').trim();
  if (line.length <= summaryMaxLength) return line;
  if (keep === 'start') return `${clipText(line, summaryMaxLength - 1)}…`;
  const tail = line.slice(1 - summaryMaxLength);
  // The cut may have gone through a surrogate pair.
  return `…${/^[\uDC00-\uDFFF]/.test(tail) ? tail.slice(1) : tail}`;
}
