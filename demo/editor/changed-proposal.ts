// What a call would change in a file if its input is sent as a person has changed it. The agent's own proposal is known
// from its question; that of the changed input is not, so it is made from the file's text.
import { structuredPatch } from 'diff';
import type { FileChange } from 'rockpool/browser';

type Hunks = FileChange['structuredPatch'];

/** 200 ms: a person who types waits no longer. */
const timeout = 200;

/** Undefined if it can't be told from this text, for example because the text to replace isn't in it. */
export function proposeChanged(
  text: string,
  input: Readonly<Record<string, unknown>>,
): Hunks | undefined {
  const before = toLineFeeds(text);
  const after = change(before, input);
  if (after === undefined) return undefined;
  return structuredPatch('', '', before, after, '', '', { context: 0, timeout })?.hunks;
}

/** The text after a call of Write, which gives all of it, or of Edit. */
function change(before: string, input: Readonly<Record<string, unknown>>): string | undefined {
  const { content, old_string: old, new_string: fresh, replace_all: isEvery } = input;
  if (typeof content === 'string') return toLineFeeds(content);
  if (typeof old !== 'string' || typeof fresh !== 'string') return undefined;
  const parts = before.split(toLineFeeds(old));
  const isFound = old !== '' && (isEvery === true ? parts.length > 1 : parts.length === 2);
  return isFound ? parts.join(toLineFeeds(fresh)) : undefined;
}

function toLineFeeds(text: string): string {
  return text.replaceAll('\r\n', '\n');
}
