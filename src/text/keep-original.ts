// The text before a change, as Edit and Write return it for views.

// 500 000 UTF-16 units: the output is kept with the conversation, and so is a copy for each change.
const maxChars = 500_000;

/** The text, or null where it is too large to be repeated: the patch then has to say it all. */
export function keepOriginal(text: string): string | null {
  return text.length > maxChars ? null : text;
}
