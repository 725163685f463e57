// Parses URLs with the host's parser and returns plain text. The guest builds its URL classes on
// this.

/** The properties of a URL. Those with a setter come first. */
const settable = [
  'href',
  'protocol',
  'username',
  'password',
  'host',
  'hostname',
  'port',
  'pathname',
  'search',
  'hash',
] as const;

/**
 * Returns a URL's properties as JSON. If `value` is given, `part` is set to it first. Returns
 * undefined if the text isn't a URL.
 */
export function parseUrl(
  text: string,
  base: string | undefined,
  part: string | undefined,
  value: string | undefined,
): string | undefined {
  if (!URL.canParse(text, base)) return undefined;
  const url = new URL(text, base);
  const name = settable.find((known) => known === part);
  if (name === 'href' && !URL.canParse(value ?? '')) return undefined;
  if (name !== undefined && value !== undefined) url[name] = value;
  return JSON.stringify({
    origin: url.origin,
    ...Object.fromEntries(settable.map((known) => [known, url[known]])),
  });
}

/** Returns the pairs of a query string as JSON. */
export function parseQuery(text: string): string {
  return JSON.stringify([...new URLSearchParams(text)]);
}

/** Inverse of {@link parseQuery}. */
export function writeQuery(pairs: readonly (readonly [string, string])[]): string {
  return new URLSearchParams(pairs.map(([name, value]) => [name, value])).toString();
}
