// Paths of the workspace as the protocol names them. `toUri` and `fromUri` are inverses.

/** `/a b.ts` as `file:///a%20b.ts`. */
export function toUri(path: string): string {
  return `file://${path.split('/').map(encodeURIComponent).join('/')}`;
}

/** The path that a URI names; undefined where it names no file. */
export function fromUri(uri: string): string | undefined {
  if (!uri.startsWith('file:///')) return undefined;
  try {
    return decodeURIComponent(uri.slice('file://'.length));
  } catch {
    return undefined;
  }
}
