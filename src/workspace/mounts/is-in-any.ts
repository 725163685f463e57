// Looks for a path among many, and below them: by its own directories, so that the cost doesn't grow with the many.

/** Is the path one of these, or below one of them? All are relative to a mount, whose own path is `''`. */
export function isInAny(tops: ReadonlySet<string>, path: string): boolean {
  for (let at = path; at !== ''; at = at.slice(0, Math.max(at.lastIndexOf('/'), 0))) {
    if (tops.has(at)) return true;
  }
  return tops.has('');
}
