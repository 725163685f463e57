// Finds the places of the parts of a JSON text, so that one part can be replaced while everything else stays byte for
// byte. Parsing the whole text and writing it again would lose spacing and large numbers.

/** From `start` up to, not including, `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The values of an array, and the array itself with its brackets. */
export interface ArraySpans extends Span {
  readonly items: readonly Span[];
}

/**
 * Finds the array in the member `name` of the object that is the whole text. Undefined if there is none. The text
 * must be valid JSON. The last of several members with one name counts, as for `JSON.parse`.
 */
export function findArray(text: string, name: string): ArraySpans | undefined {
  const start = skipSpace(text, 0);
  if (text[start] !== '{') return undefined;
  const member = findMembers(text, start).get(name);
  if (!member || text[member.value.start] !== '[') return undefined;
  return { ...member.value, items: [...listItems(text, member.value.start)] };
}

/** A member of an object: from its key to the end of its value. */
export interface MemberSpan extends Span {
  readonly value: Span;
}

/**
 * The members of the object that begins at `start`, by name and in their order. The last of several with one name
 * counts, in the place of the first, as for `JSON.parse`.
 */
export function findMembers(text: string, start: number): Map<string, MemberSpan> {
  const members = new Map<string, MemberSpan>();
  // A key, its colon and its value stand between two commas.
  for (const item of listItems(text, start)) {
    const keyEnd = endOfString(text, item.start);
    const valueStart = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const name = JSON.parse(text.slice(item.start, keyEnd)) as string;
    members.set(name, { ...item, value: { start: valueStart, end: item.end } });
  }
  return members;
}

/** The items between the commas of the array or object that begins at `start`. */
function* listItems(text: string, start: number): Generator<Span, void> {
  let at = skipSpace(text, start + 1);
  while (text[at] !== ']' && text[at] !== '}') {
    const end = endOfItem(text, at);
    yield { start: at, end: trimEnd(text, end) };
    at = text[end] === ',' ? skipSpace(text, end + 1) : end;
  }
}

/** The place of the comma or bracket after an item. */
function endOfItem(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    switch (text[at]) {
      case '"':
        at = endOfString(text, at) - 1;
        break;
      case '[':
      case '{':
        depth += 1;
        break;
      case ',':
        if (depth === 0) return at;
        break;
      case ']':
      case '}':
        if (depth === 0) return at;
        depth -= 1;
        break;
    }
  }
  return text.length;
}

/**
 * The place after the closing quote. It searches for quotes instead of checking each character, because an image is
 * one string of megabytes.
 */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let before = at;
    while (text[before - 1] === '\\') before -= 1;
    // An even number of backslashes: they escape each other, and not the quote.
    if ((at - before) % 2 === 0) return at + 1;
  }
  return text.length;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (isSpace(text[at])) at += 1;
  return at;
}

function trimEnd(text: string, end: number): number {
  let at = end;
  while (isSpace(text[at - 1])) at -= 1;
  return at;
}

function isSpace(character: string | undefined): boolean {
  return character === ' ' || character === '\n' || character === '\r' || character === '\t';
}
