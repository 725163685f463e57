// What a person or the model has written behind a skill's or a command's name, put into its text.

/**
 * `$ARGUMENTS` is all of it. `$1` to `$9` are a word each, and so are `$ARGUMENTS[0]` and those after it; what stands in
 * quotes is one word. Where the text has a place for none, it stands behind it. In one pass: what an argument holds
 * isn't filled in again.
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

/** What stands in quotes is one word. */
export function splitArguments(given: string): string[] {
  return [...given.matchAll(/"(?<double>[^"]*)"|'(?<single>[^']*)'|(?<plain>\S+)/gu)].map(
    ({ groups }) => groups?.['double'] ?? groups?.['single'] ?? groups?.['plain'] ?? '',
  );
}
