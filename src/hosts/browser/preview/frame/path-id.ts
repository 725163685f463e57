/** A short text that is the same for a path at each opening. FNV-1a, 32 bits. */
export function toPathId(path: string): string {
  let hash = 0x811c9dc5;
  for (const char of path) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193);
  return (hash >>> 0).toString(36);
}
