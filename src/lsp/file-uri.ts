// Converts between paths of the workspace and URIs of the protocol. `toUri` and `fromUri` are
// inverses.

/** `/a b.ts` becomes `file:///a%20b.ts`. */
export function toUri(path: string): string {
  return `file://${path.split('/').map(encodeURIComponent).join('/')}`;
}

/** The path of a URI; undefined if it isn't a file's. */
export function fromUri(uri: string): string | undefined {
  if (!uri.startsWith('file:///')) return undefined;
  try {
    return decodeURIComponent(uri.slice('file://'.length));
  } catch {
    return undefined;
  }
}
