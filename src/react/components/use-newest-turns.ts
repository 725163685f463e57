// A long conversation shows its newest turns. Earlier ones come as a reader scrolls up to them.
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { RefObject } from 'react';

/**
 * How many turns are shown at first, and how many more each time. 20 of eight calls each take a phone's page 300 ms
 * (Chromium, React's development build); 300 at once take 2 s.
 */
const step = 20;

export interface NewestTurns {
  /** The index of the first turn that is shown. */
  readonly from: number;
  /** For the button above the first turn, which also shows more when a reader comes to it. */
  readonly buttonRef: RefObject<HTMLButtonElement | null>;
  readonly showEarlier: () => void;
}

/**
 * While the reader is at the end, turns leave at the beginning as new ones come. Nothing above a reader changes
 * otherwise, and what they read stays where it is when earlier turns come.
 */
export function useNewestTurns(
  count: number,
  isAtEnd: boolean,
  scrollerRef: RefObject<HTMLElement | null>,
): NewestTurns {
  const [steps, setSteps] = useState(1);
  const [held, setHeld] = useState(0);
  const newest = Math.max(0, count - step * steps);
  const from = isAtEnd ? newest : Math.min(held, newest);
  if (from !== held) setHeld(from);

  /** How far the view is from the content's end, while more turns are on their way. */
  const fromEnd = useRef<number>(undefined);
  const buttonRef = useRef<HTMLButtonElement>(null);

  const showEarlier = useCallback(() => {
    const scroller = scrollerRef.current;
    if (scroller) fromEnd.current = scroller.scrollHeight - scroller.scrollTop;
    setSteps(Math.ceil((count - from) / step) + 1);
  }, [scrollerRef, count, from]);

  useLayoutEffect(() => {
    const scroller = scrollerRef.current;
    if (!scroller || fromEnd.current === undefined) return;
    scroller.scrollTop = scroller.scrollHeight - fromEnd.current;
    fromEnd.current = undefined;
    // The button went with the last of them, and the focus with it.
    if (from === 0 && document.activeElement === document.body) {
      scroller.focus({ preventScroll: true });
    }
  }, [from, scrollerRef]);

  useEffect(() => {
    const button = buttonRef.current;
    if (!button || isAtEnd) return;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting) showEarlier();
      },
      { root: scrollerRef.current, rootMargin: '400px 0px 0px' },
    );
    observer.observe(button);
    return () => observer.disconnect();
  }, [isAtEnd, showEarlier, scrollerRef]);

  return { from, buttonRef, showEarlier };
}
