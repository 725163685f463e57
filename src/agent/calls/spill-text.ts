// Shortens a result that is too long. Most are stored in a file, and a preview has the head, the
// tail and the path. The result of a paging tool is cut instead, with a line that says how to
// continue. Used by `budget.ts`.
import { clipText } from '../../core/text/clip-text.ts';
import type { PersistedOutput } from '../../core/tool/tool.ts';

/** The store of full results. */
export interface SpillStore {
  /** Resolves to the path by which tools can read it. Rejects if it can't be stored. */
  write(toolUseId: string, text: string): Promise<string>;
}

/** The parts of a stored text that a preview shows. A preview is written again for each size. */
export interface Preview {
  readonly length: number;
  readonly lines: number;
  readonly head: string;
  readonly tail: string;
  /** Where the whole text is stored; left out if that failed. */
  readonly persisted?: PersistedOutput;
  /** Why it couldn't be stored. */
  readonly failure?: string;
}

/** Stores the text. Never rejects: if it can't be stored, the preview says so. */
export async function spillText(
  toolUseId: string,
  text: string,
  spill: SpillStore,
): Promise<Preview> {
  const preview = {
    length: text.length,
    lines: text.split('\n').length,
    head: clipText(text, HEAD_CHARS),
    tail: keepEnd(text, TAIL_CHARS),
  };
  try {
    const path = await spill.write(toolUseId, text);
    return { ...preview, persisted: { path, size: new TextEncoder().encode(text).length } };
  } catch (error) {
    return { ...preview, failure: String(error) };
  }
}

/** Returns at most `maxChars` characters, in any case: with less room it has fewer words. */
export function writePreview(preview: Preview, maxChars: number): string {
  const { length, lines, persisted, failure } = preview;
  const path = persisted?.path;
  const size = `${length} characters in ${lines} lines`;
  const opening =
    path === undefined
      ? `The result is too long to show (${size}), and could not be kept (${failure}).`
      : `The result is too long to show (${size}). All of it is in ${path}: Read it by offset and limit, or search it with Grep.`;
  const sentence = `${opening} Its beginning and end:`;
  const room = maxChars - sentence.length - 2;
  const excerpt = room < MIN_EXCERPT_CHARS ? undefined : cutMiddle(preview, room);
  if (excerpt !== undefined) return `${sentence}\n\n${excerpt}`;
  const shorter =
    path === undefined
      ? ['Too long to show, and not kept: call again for less.', 'Too long: ask for less.']
      : [`Too long to show. All of it is in ${path}`, path];
  return pickFitting([opening, ...shorter], maxChars);
}

/**
 * Returns as many whole lines as fit into `maxChars` together with the text of `tellRest` for their
 * number. If not even one fits, it returns the beginning of the first. Without room for that, only
 * the text of `tellRest`.
 */
export function cutText(
  text: string,
  maxChars: number,
  tellRest: (shownLines: number) => string,
): string {
  for (let room = maxChars - tellRest(0).length - 2; room >= MIN_EXCERPT_CHARS;) {
    const { shown, count } = takeLines(text, room);
    const cut = `${shown}\n\n${tellRest(count)}`;
    if (cut.length <= maxChars) return cut;
    room -= cut.length - maxChars;
  }
  return clipText(tellRest(0), maxChars);
}

/** Cuts a text to at most `maxChars`, for texts that are too short to be stored in a file. */
export function clipShort(text: string, maxChars: number): string {
  const room = maxChars - CLIPPED.length;
  return room > 0 ? `${clipText(text, room)}${CLIPPED}` : clipText(CLIPPED.trim(), maxChars);
}

const CLIPPED = '… [cut: ask for fewer at once]';

// 4 000 and 2 000 characters: enough to see the text's structure. The head is usually more
// informative.
const HEAD_CHARS = 4_000;
const TAIL_CHARS = 2_000;

/** The size of a full preview: head, tail and the text around them. */
export const PREVIEW_CHARS = HEAD_CHARS + TAIL_CHARS + 500;

/** A shorter excerpt of a text is useless. */
const MIN_EXCERPT_CHARS = 500;

function cutMiddle(preview: Preview, room: number): string {
  const mark = (leftOut: number) => `\n\n[… ${leftOut} characters left out …]\n\n`;
  const excerptChars = room - mark(preview.length).length;
  const tail = keepEnd(preview.tail, Math.floor(excerptChars / 3));
  const head = clipText(preview.head, excerptChars - tail.length);
  return `${head}${mark(preview.length - head.length - tail.length)}${tail}`;
}

// Half of a surrogate pair would reach the API as an invalid character.
function keepEnd(text: string, chars: number): string {
  return chars < text.length
    ? text.slice(text.length - chars).replace(/^[\uDC00-\uDFFF]/u, '')
    : text;
}

function takeLines(text: string, room: number): { readonly shown: string; readonly count: number } {
  if (text.length <= room) return { shown: text, count: text.split('\n').length };
  // A line end right after the text that fits completes its last line.
  const end = text.lastIndexOf('\n', room);
  if (end <= 0) return { shown: clipText(text, room), count: 0 };
  const shown = text.slice(0, end);
  return { shown, count: shown.split('\n').length };
}

function pickFitting(texts: readonly string[], maxChars: number): string {
  return texts.find((text) => text.length <= maxChars) ?? clipText(texts.at(-1) ?? '', maxChars);
}
