// Decides how much of a long list of texts is rendered at first. Both items and characters are bounded, since one long
// line costs a page as much as many short ones. For long-list.tsx.

/** How to measure and cut items that hold text. */
export interface TextItem<T> {
  /** In UTF-16 units. */
  length(item: T): number;
  /** The item with at most so many units of its text. */
  cut(item: T, length: number): T;
}

/** The start of a list, and how much is missing. */
export interface Start<T> {
  readonly shown: readonly T[];
  /** Items that aren't shown at all. */
  readonly hiddenItems: number;
  /** The missing part of the last shown item, in UTF-16 units. */
  readonly hiddenChars: number;
}

/**
 * The first `maxItems` items, and of their text at most `maxChars` characters: an item that goes
 * beyond them is cut, and is the last. Without `text` only items are counted.
 */
export function takeStart<T>(
  items: readonly T[],
  maxItems: number,
  maxChars: number,
  text?: TextItem<T>,
): Start<T> {
  const first = items.slice(0, maxItems);
  let room = maxChars;
  for (const [index, item] of text ? first.entries() : []) {
    const length = text?.length(item) ?? 0;
    if (text && length >= room) {
      const last = text.cut(item, room);
      const hiddenChars = length - text.length(last);
      return {
        shown: [...first.slice(0, index), last],
        hiddenItems: items.length - index - 1,
        hiddenChars,
      };
    }
    room -= length;
  }
  return { shown: first, hiddenItems: items.length - first.length, hiddenChars: 0 };
}
