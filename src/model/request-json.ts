// Writes the body of a request as JSON that every server can read.

/** Half of a surrogate pair, as `JSON.stringify` writes it. Complete pairs stay unescaped. */
const half = /\\ud[89a-f][\da-f]{2}/u;

/**
 * `JSON.stringify`, with U+FFFD for each half of a surrogate pair. A cell may print one, and the
 * Messages API refuses every request that contains one.
 *
 * @throws TypeError for a value that JSON can't represent
 */
export function toRequestJson(body: unknown): string {
  const json = JSON.stringify(body);
  if (!half.test(json)) return json;
  // Matches each escape, so that an escaped backslash doesn't begin another one.
  return json.replace(/\\(?:ud[89a-f][\da-f]{2}|.)/gu, (escape) =>
    escape.length > 2 ? '\\ufffd' : escape,
  );
}
