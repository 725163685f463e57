// Writes the body of a request as JSON that every server can read.

/** Half of a surrogate pair, as `JSON.stringify` writes it: whole pairs it leaves as they are. */
const half = /\\ud[89a-f][\da-f]{2}/u;

/**
 * `JSON.stringify`, with U+FFFD in the place of each half of a surrogate pair. A cell may print one, and
 * the Messages API refuses a request that has one anywhere: the conversation could never go on.
 *
 * @throws TypeError for what JSON can't hold.
 */
export function toRequestJson(body: unknown): string {
  const json = JSON.stringify(body);
  if (!half.test(json)) return json;
  // Escape by escape, so that a backslash which is itself escaped begins none.
  return json.replace(/\\(?:ud[89a-f][\da-f]{2}|.)/gu, (escape) =>
    escape.length > 2 ? '\\ufffd' : escape,
  );
}
