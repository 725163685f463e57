// The intended differences between Grep and ripgrep. docs/search.md gives the reason of each.
import type { SearchQuery } from './search-fixture.ts';

/** True if the two are known to differ for this query. */
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

/** True if this runtime's engine answers otherwise: WebKit's regards the case of properties. */
export function isKnownOfEngine({ pattern, ...options }: SearchQuery): boolean {
  return options['-i'] === true && pattern.includes('\\p{L') && !/\p{Lu}/iv.test('a');
}

/** True if a group is closed before it is opened. Brackets in classes and escapes don't count. */
function hasEarlyEnd(pattern: string): boolean {
  let depth = 0;
  for (const [sign] of pattern.matchAll(/\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[()]/gsu)) {
    if (sign === '(') depth += 1;
    if (sign === ')') depth -= 1;
    if (depth < 0) return true;
  }
  return false;
}
