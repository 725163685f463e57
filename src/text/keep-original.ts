// The text before a change, for the outputs of Edit and Write. Views show it.

// 500 000 UTF-16 units: the output is kept with the conversation, and so is a copy for each change.
const maxChars = 500_000;

/** The text, or null if it is too large to repeat: views then have the patch alone. */
export function keepOriginal(text: string): string | null {
  return text.length > maxChars ? null : text;
}
