// Parses the text of a JSON file.

/** Ignores a byte order mark, with which some editors begin a file. @throws SyntaxError if the text isn't JSON */
export function parseJsonFile(text: string): unknown {
  return JSON.parse(text.replace(/^\uFEFF/u, ''));
}
