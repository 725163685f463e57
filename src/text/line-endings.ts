// Line ends. The model writes `\n`; a file keeps the ends that it has.

export type LineEnding = '\n' | '\r\n';

/** The ending that most lines have; `\n` for a text without any. */
export function detectLineEnding(text: string): LineEnding {
  const { lineFeeds, pairs } = countLineEndings(text);
  return pairs > lineFeeds - pairs ? '\r\n' : '\n';
}

/**
 * True if the text has both. Then it must not be converted as a whole: unedited lines would change.
 */
export function hasMixedLineEndings(text: string): boolean {
  const { lineFeeds, pairs } = countLineEndings(text);
  return pairs > 0 && pairs < lineFeeds;
}

/** Every `\r\n` as `\n`. Inverse, for a text of one kind: {@link fromLineFeeds}. */
export function toLineFeeds(text: string): string {
  return text.includes('\r') ? text.replaceAll('\r\n', '\n') : text;
}

/** Every line end as `ending`. Takes both kinds. */
export function fromLineFeeds(text: string, ending: LineEnding): string {
  const plain = toLineFeeds(text);
  return ending === '\n' ? plain : plain.replaceAll('\n', '\r\n');
}

function countLineEndings(text: string): { readonly lineFeeds: number; readonly pairs: number } {
  let lineFeeds = 0;
  let pairs = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    lineFeeds += 1;
    if (at > 0 && text.charCodeAt(at - 1) === 13) pairs += 1;
  }
  return { lineFeeds, pairs };
}
