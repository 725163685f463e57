// What is left of a result that is too long. Most are spilled: a preview has the head, the tail, and
// where all of it is. What pages by itself is cut instead, and says how to go on. Used by `budget.ts`.
import { clipText } from '../../core/text/clip-text.ts';
import type { PersistedOutput } from '../../core/tool/tool.ts';

/** Where the full text of a result goes. */
export interface SpillStore {
  /** Gives the path under which tools can read it. Rejects when it can't be kept. */
  write(toolUseId: string, text: string): Promise<string>;
}

/** A text that was spilled, as much of it as any preview shows: it is written again for each size. */
export interface Preview {
  readonly length: number;
  readonly lines: number;
  readonly head: string;
  readonly tail: string;
  /** Where the whole text is; absent where it couldn't be kept. */
  readonly persisted?: PersistedOutput;
  /** Why it couldn't. */
  readonly failure?: string;
}

/** Keeps the text. Never rejects: where it can't be kept, the preview says so. */
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

/** At most `maxChars`, whatever that is: the less room, the fewer words. */
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
 * As many whole lines as fit into `maxChars` together with what `tellRest` says of the number of
 * them. Where not one does, it is the beginning of the first. Where there is no room for that
 * either, it is what `tellRest` says alone.
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

/** Cuts a text to at most `maxChars`. It is for texts that are too short for a file of their own, but have no room. */
export function clipShort(text: string, maxChars: number): string {
  const room = maxChars - CLIPPED.length;
  return room > 0 ? `${clipText(text, room)}${CLIPPED}` : clipText(CLIPPED.trim(), maxChars);
}

const CLIPPED = '… [cut: ask for fewer at once]';

// 4 000 and 2 000 characters: enough to see how the text goes on. The head usually says more.
const HEAD_CHARS = 4_000;
const TAIL_CHARS = 2_000;

/** A preview of full size: head, tail and the words around them. */
export const PREVIEW_CHARS = HEAD_CHARS + TAIL_CHARS + 500;

/** Fewer characters of a text tell nothing. */
const MIN_EXCERPT_CHARS = 500;

function cutMiddle(preview: Preview, room: number): string {
  const mark = (leftOut: number) => `\n\n[… ${leftOut} characters left out …]\n\n`;
  const excerptChars = room - mark(preview.length).length;
  const tail = keepEnd(preview.tail, Math.floor(excerptChars / 3));
  const head = clipText(preview.head, excerptChars - tail.length);
  return `${head}${mark(preview.length - head.length - tail.length)}${tail}`;
}

// Half of a surrogate pair would reach the API as a broken character.
function keepEnd(text: string, chars: number): string {
  return chars < text.length
    ? text.slice(text.length - chars).replace(/^[\uDC00-\uDFFF]/u, '')
    : text;
}

function takeLines(text: string, room: number): { readonly shown: string; readonly count: number } {
  if (text.length <= room) return { shown: text, count: text.split('\n').length };
  // A line end right behind what fits ends a whole line.
  const end = text.lastIndexOf('\n', room);
  if (end <= 0) return { shown: clipText(text, room), count: 0 };
  const shown = text.slice(0, end);
  return { shown, count: shown.split('\n').length };
}

function pickFitting(texts: readonly string[], maxChars: number): string {
  return texts.find((text) => text.length <= maxChars) ?? clipText(texts.at(-1) ?? '', maxChars);
}
