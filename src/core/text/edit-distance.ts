// The edit distance of two names, for errors that suggest an unknown tool's or a missing file's
// name.

/**
 * Levenshtein's distance: the number of insertions, deletions and substitutions of one UTF-16 unit. It takes time in
 * proportion to the product of both lengths, so callers must limit the lengths of untrusted names.
 */
export function editDistance(from: string, to: string): number {
  // Keeps one row of the usual table, because only the row above is needed.
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const substituted = (previous[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
      current.push(
        Math.min(substituted, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1),
      );
    }
    previous = current;
  }
  return previous[to.length] ?? 0;
}
