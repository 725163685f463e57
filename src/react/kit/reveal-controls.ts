// Shows the characters that would change the order in which a text is displayed.

/**
 * Embeddings, overrides and isolates. The marks U+200E and U+200F move no letters, so they stay.
 */
const controls = /[\u202a-\u202e\u2066-\u2069]/gu;

/**
 * The text with each control character as its number: `[U+202E]`.
 *
 * Security: a line of code or a file's name must not look like another one to a person who is asked
 * about it.
 */
export function revealControls(text: string): string {
  return text.replace(
    controls,
    (character) => `[U+${character.charCodeAt(0).toString(16).toUpperCase()}]`,
  );
}
