// URLs by the host's own parser, as plain text both ways: the guest's URL classes are made of these.

/** The parts that a URL object has; those with a setter first. */
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

/** A URL's parts as JSON, after `part` was set to `value` if one is given. Undefined: it isn't a URL. */
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

/** A query string as JSON of its pairs. */
export function parseQuery(text: string): string {
  return JSON.stringify([...new URLSearchParams(text)]);
}

/** Inverse of {@link parseQuery}. */
export function writeQuery(pairs: readonly (readonly [string, string])[]): string {
  return new URLSearchParams(pairs.map(([name, value]) => [name, value])).toString();
}
