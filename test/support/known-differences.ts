// Where Grep differs from ripgrep on purpose. docs/search.md says why, of each.
import type { SearchQuery } from './search-fixture.ts';

/** Does a query ask for something in which the two are known to differ? */
export function isKnownDifference({ pattern, ...options }: SearchQuery): boolean {
  return (
    // Single bytes of characters are refused.
    pattern.includes('(?-u') ||
    // A bracket too many is refused, even where another one follows that would match it.
    hasEarlyEnd(pattern) ||
    // Where ripgrep finds no part again it shows the whole line.
    (options['-o'] === true && /\\[Az]|\(\?-m/u.test(pattern))
  );
}

/** Is a group closed before it is opened? Brackets in classes and escapes don't count. */
function hasEarlyEnd(pattern: string): boolean {
  let depth = 0;
  for (const [sign] of pattern.matchAll(/\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[()]/gsu)) {
    if (sign === '(') depth += 1;
    if (sign === ')') depth -= 1;
    if (depth < 0) return true;
  }
  return false;
}
