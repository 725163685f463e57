// What a person or the model has written behind a skill's or a command's name, put into its text.

/**
 * `$ARGUMENTS` is the whole text. `$1` to `$9`, and `$ARGUMENTS[0]` and so on, are single words; a
 * quoted text is one word. If the template has no placeholder, the arguments are appended. Replaced
 * in one pass, so placeholders in arguments stay as they are.
 */
export function fillArguments(text: string, given = ''): string {
  const words = splitArguments(given);
  let isPlaced = false;
  const filled = text.replace(places, (_, index?: string, place?: string) => {
    isPlaced = true;
    if (index !== undefined) return words[Number(index)] ?? '';
    return place === undefined ? given : (words[Number(place) - 1] ?? '');
  });
  return isPlaced || given === '' ? filled : `${text.trimEnd()}\n\nArguments: ${given}\n`;
}

const places = /\$(?:ARGUMENTS(?:\[(?<index>\d{1,2})\]|\b)|(?<place>[1-9])(?!\d))/gu;

/** Splits into words. A quoted text is one word. */
export function splitArguments(given: string): string[] {
  return [...given.matchAll(/"(?<double>[^"]*)"|'(?<single>[^']*)'|(?<plain>\S+)/gu)].map(
    ({ groups }) => groups?.['double'] ?? groups?.['single'] ?? groups?.['plain'] ?? '',
  );
}
