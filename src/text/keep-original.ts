// Limits the text before a change in the outputs of Edit and Write. Views show it.

// 500 000 UTF-16 units: the output is kept with the conversation, and so is a copy for each change.
const maxChars = 500_000;

/** The text, or null if it is too large to repeat. Then views have only the patch. */
export function keepOriginal(text: string): string | null {
  return text.length > maxChars ? null : text;
}
