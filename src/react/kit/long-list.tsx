// Shows the beginning of a long list and a button for the rest, so that ten thousand lines don't
// block a frame.
import { useState } from 'react';
import type { ReactNode } from 'react';

export interface LongListProps<T> {
  readonly items: readonly T[];
  /** How many are shown at first, and how many more by each click. */
  readonly step: number;
  /** "lines", "files". */
  readonly noun: string;
  readonly children: (shown: readonly T[]) => ReactNode;
}

/** Calls `children` with as much of `items` as is to be shown; each click shows ten steps more. */
export function LongList<T>({ items, step, noun, children }: LongListProps<T>) {
  const [count, setCount] = useState(step);
  const hidden = items.length - count;
  if (hidden <= 0) return children(items);
  return (
    <>
      {children(items.slice(0, count))}
      <button
        type="button"
        className="rp-more"
        onClick={() => setCount((current) => current + step * 10)}
      >
        Show {hidden} more {noun}
      </button>
    </>
  );
}
