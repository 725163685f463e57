// Which known names a wrong one may have meant: for the error that an unknown tool gets.

/** At most three names, the nearest first. Letter case doesn't count. */
export function findNearNames(name: string, known: readonly string[]): string[] {
  const wanted = name.toLowerCase();
  // A third of the name wrong is a slip; more is another word.
  const limit = Math.max(2, Math.floor(wanted.length / 3));
  return known
    .map((candidate) => ({ candidate, distance: distance(wanted, candidate.toLowerCase()) }))
    .filter(
      ({ candidate, distance: away }) => away <= limit || isPartOf(wanted, candidate.toLowerCase()),
    )
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ candidate }) => candidate);
}

function isPartOf(wanted: string, candidate: string): boolean {
  return wanted.length >= 3 && (candidate.includes(wanted) || wanted.includes(candidate));
}

/** Levenshtein's distance: insertions, deletions and substitutions of one letter. */
function distance(from: string, to: string): number {
  // A name comes from the model and may be of any length; beyond 64 letters it is no slip.
  if (from.length > 64) return Infinity;
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const substituted = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(substituted, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
