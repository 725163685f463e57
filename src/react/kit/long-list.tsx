// Shows the beginning of a long list and a button for the rest. So ten thousand lines, or one very
// long line, don't block a frame.
import { useEffect, useMemo, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { takeStart } from './take-start.ts';
import type { TextItem } from './take-start.ts';

/**
 * The slowest text to lay out, emoji among other scripts, takes 3 µs a character (Chromium, CPU time), so 30 ms a
 * block. A call with output and errors stays below the 100 ms that a page may be busy.
 */
const stepChars = 10_000;

export interface LongListProps<T> {
  readonly items: readonly T[];
  /** How many are shown at first, and how many more by each click. */
  readonly step: number;
  /** "lines", "files". */
  readonly noun: string;
  /**
   * For items of text: at most 10 000 characters a step are shown. Give the same object each time.
   */
  readonly text?: TextItem<T>;
  readonly children: (shown: readonly T[]) => ReactNode;
}

/** Focuses an element, even if it isn't a tab stop. */
function takeFocus(element: HTMLElement): void {
  if (!element.hasAttribute('tabindex')) element.tabIndex = -1;
  element.focus({ preventScroll: true });
}

/** Calls `children` with the items to show. Each click shows ten more steps. */
export function LongList<T>({ items, step, noun, text, children }: LongListProps<T>) {
  const [steps, setSteps] = useState(1);
  const { shown, hiddenItems, hiddenChars } = useMemo(
    () => takeStart(items, step * steps, stepChars * steps, text),
    [items, step, steps, text],
  );
  const hasMore = hiddenItems > 0 || hiddenChars > 0;
  const list = useRef<Element>(undefined);
  useEffect(() => {
    // The button goes with its last click. Without this, the focus would go with it.
    if (!hasMore && list.current instanceof HTMLElement) takeFocus(list.current);
  }, [hasMore]);
  return (
    <>
      {children(shown)}
      {hasMore && (
        <button
          type="button"
          className="rp-more"
          onClick={({ currentTarget }) => {
            list.current = currentTarget.previousElementSibling ?? undefined;
            setSteps((current) => current + 10);
          }}
        >
          {hiddenItems > 0
            ? `Show ${hiddenItems} more ${noun}`
            : `Show ${hiddenChars} more characters`}
        </button>
      )}
    </>
  );
}
