// Suggests known names for a wrong one. Errors about tools, options, commands and skills use it.
import { editDistance } from './edit-distance.ts';

/** At most three names, the nearest first. Ignores case. */
export function findNearNames(name: string, known: readonly string[]): string[] {
  const wanted = name.toLowerCase();
  // Up to a third of wrong letters counts as a typing error. With more it is another word.
  const limit = Math.max(2, Math.floor(wanted.length / 3));
  return known
    .map((candidate) => ({ candidate, distance: distanceOf(wanted, candidate.toLowerCase()) }))
    .filter(
      ({ candidate, distance }) => distance <= limit || isPartOf(wanted, candidate.toLowerCase()),
    )
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ candidate }) => candidate);
}

/** A sentence for an error: the nearest names, or all names if none is near. */
export function suggestNames(name: string, known: readonly string[]): string {
  const near = findNearNames(name, known);
  if (near.length > 0) return `Did you mean ${near.join(' or ')}?`;
  return `There ${known.length === 1 ? 'is' : 'are'} ${known.join(', ')}.`;
}

function isPartOf(wanted: string, candidate: string): boolean {
  // Only from three letters on, because shorter texts are part of almost every name.
  return wanted.length >= 3 && (candidate.includes(wanted) || wanted.includes(candidate));
}

function distanceOf(wanted: string, candidate: string): number {
  // Security: a name comes from the model and may be of any length, and the distance takes time that grows with it. A
  // longer text than 64 letters isn't a typing error.
  return wanted.length > 64 ? Infinity : editDistance(wanted, candidate);
}
