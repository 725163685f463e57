// Parses incomplete JSON, so that a view can show a call's input while it streams.

interface Cursor {
  readonly text: string;
  at: number;
  depth: number;
}

/** Deeper than any tool's input, and far from overflowing the stack. */
const maxDepth = 64;

/** Thrown if the text ends inside a value of which nothing can be shown yet. */
const incomplete = Symbol('incomplete');

/**
 * The value that `text` begins. Open strings, arrays and objects are closed where the text ends. A
 * half-read key or keyword is left out. Never throws; undefined if there is nothing to show. For
 * display only: a call is run from its complete input, never from this.
 */
export function parsePartialJson(text: string): unknown {
  const cursor: Cursor = { text, at: 0, depth: 0 };
  try {
    return readValue(cursor);
  } catch (error) {
    if (error === incomplete || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function readValue(cursor: Cursor): unknown {
  skipSpace(cursor);
  const first = cursor.text[cursor.at];
  if (first === '"') return readString(cursor);
  if (first !== '{' && first !== '[') return readScalar(cursor);
  if (cursor.depth >= maxDepth) throw new SyntaxError('nested too deeply');
  cursor.depth += 1;
  const value = first === '{' ? readObject(cursor) : readArray(cursor);
  cursor.depth -= 1;
  return value;
}

function readObject(cursor: Cursor): Record<string, unknown> {
  const entries: [string, unknown][] = [];
  cursor.at += 1;
  while (!skipTo(cursor, '}')) {
    const key = tryRead(cursor, readString);
    skipSpace(cursor);
    if (key === incomplete || cursor.text[cursor.at] !== ':') break;
    cursor.at += 1;
    const value = tryRead(cursor, readValue);
    if (value === incomplete) break;
    entries.push([String(key), value]);
  }
  // Security: fromEntries defines "__proto__" as an own property; assignment would set the prototype.
  return Object.fromEntries(entries);
}

function readArray(cursor: Cursor): unknown[] {
  const items: unknown[] = [];
  cursor.at += 1;
  while (!skipTo(cursor, ']')) {
    const value = tryRead(cursor, readValue);
    if (value === incomplete) break;
    items.push(value);
  }
  return items;
}

/**
 * Moves past commas. True if the container ends here (the cursor moves past its closer) or the text
 * does.
 */
function skipTo(cursor: Cursor, closer: string): boolean {
  skipSpace(cursor);
  while (cursor.text[cursor.at] === ',') {
    cursor.at += 1;
    skipSpace(cursor);
  }
  if (cursor.text[cursor.at] === closer) {
    cursor.at += 1;
    return true;
  }
  return cursor.at >= cursor.text.length;
}

function tryRead<T>(cursor: Cursor, read: (cursor: Cursor) => T): T | typeof incomplete {
  try {
    return read(cursor);
  } catch (error) {
    if (error !== incomplete) throw error;
    cursor.at = cursor.text.length;
    return incomplete;
  }
}

function readString(cursor: Cursor): string {
  if (cursor.text[cursor.at] !== '"') throw incomplete;
  const start = cursor.at + 1;
  let end = start;
  while (end < cursor.text.length && cursor.text[end] !== '"') {
    end += cursor.text[end] === '\\' ? 2 : 1;
  }
  const isClosed = end < cursor.text.length;
  cursor.at = isClosed ? end + 1 : cursor.text.length;
  let body = cursor.text.slice(start, isClosed ? end : cursor.text.length);
  // An incomplete escape at the end can't be parsed. It is shown with the next delta.
  if (!isClosed) body = body.replace(/\\(?:u[0-9a-f]{0,3})?$/i, cutsEscape(body) ? '' : '$&');
  return JSON.parse(`"${body}"`) as string;
}

/** True if an escape begins at the last backslash. False if that backslash is itself escaped. */
function cutsEscape(body: string): boolean {
  const tail = /(?<!\\)(\\+)(?:u[0-9a-f]{0,3})?$/i.exec(body)?.[1];
  return tail !== undefined && tail.length % 2 === 1;
}

function readScalar(cursor: Cursor): unknown {
  const scalar = /[^\s,\]}]*/y;
  scalar.lastIndex = cursor.at;
  const token = scalar.exec(cursor.text)?.[0] ?? '';
  cursor.at += token.length;
  // Without a delimiter after it, 12 may become 123, and "tru" is no value yet.
  if (token === '' || cursor.at >= cursor.text.length) throw incomplete;
  return JSON.parse(token);
}

function skipSpace(cursor: Cursor): void {
  while (/\s/.test(cursor.text[cursor.at] ?? '')) cursor.at += 1;
}
