// JSON as it stands in a file.

/** Some editors begin a file with a byte order mark. @throws SyntaxError for what is no JSON */
export function parseJsonFile(text: string): unknown {
  return JSON.parse(text.replace(/^\uFEFF/u, ''));
}
