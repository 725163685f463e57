// Keeps a file's curly quotes in an edit with straight ones, because models write straight quotes whatever a file
// has. Called by Edit for a place that was found by its straightened quotes. Pure.
import { straightenQuotes } from './locate-text.ts';

/**
 * `fresh` with the file's own quotes. `wanted` is the straightened text of `replaced`. At its beginning and end,
 * `fresh` may have the same text as `wanted`: quotes there stay as they are in `replaced`. Any other quote becomes an
 * opening or closing one by its place, if `replaced` has curly quotes of its kind. The texts have `\n` for line ends.
 */
export function keepQuotes(replaced: string, wanted: string, fresh: string): string {
  if (replaced === wanted) return fresh;
  const straight = straightenQuotes(fresh);
  const plain = straightenQuotes(wanted);
  const shared = Math.min(plain.length, straight.length);
  let start = 0;
  while (start < shared && plain[start] === straight[start]) start += 1;
  let end = 0;
  while (end < shared - start && plain.at(-1 - end) === straight.at(-1 - end)) end += 1;
  const curly = listCurly(replaced);
  const between = fresh.slice(start, fresh.length - end).replace(/["']/g, (quote, at: number) => {
    const before = fresh[start + at - 1] ?? replaced[0] ?? '';
    return curly.get(kindOf(quote, opensAfter(start + at === 0 ? '' : before))) ?? quote;
  });
  return replaced.slice(0, start) + between + replaced.slice(replaced.length - end);
}

/**
 * The kinds of quotes that a text has in curly form. For each kind its first one, or the usual one
 * if its pair is missing.
 */
function listCurly(text: string): ReadonlyMap<string, string> {
  const curly = new Map<string, string>();
  for (const { 0: quote, index } of text.matchAll(/[\u2018-\u201F]/g)) {
    const straight = straightenQuotes(quote);
    const [open, close] = straight === '"' ? ['“', '”'] : ['‘', '’'];
    const opens = opensAfter(index === 0 ? '' : (text[index - 1] ?? ''));
    if (!curly.has(kindOf(straight, true))) {
      curly.set(kindOf(straight, true), open).set(kindOf(straight, false), close);
    }
    curly.set(kindOf(straight, opens), quote);
  }
  return curly;
}

function kindOf(straight: string, opens: boolean): string {
  return `${straight} ${opens ? 'opens' : 'closes'}`;
}

/** A quote opens at the start, and after white space, brackets, dashes and other opening quotes. */
function opensAfter(before: string): boolean {
  return before === '' || /[\s([{<=—–\u2018\u201A\u201B\u201C\u201E\u201F-]/.test(before);
}
