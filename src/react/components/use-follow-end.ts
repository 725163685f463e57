// Keeps a growing list scrolled to its end until its reader scrolls away.
import { useCallback, useLayoutEffect, useRef, useState } from 'react';
import type { RefObject } from 'react';

export interface FollowEnd {
  /** The box that scrolls; what is in it stands in one child. */
  readonly scrollerRef: RefObject<HTMLDivElement | null>;
  readonly isAtEnd: boolean;
  readonly scrollToEnd: () => void;
}

/** Within this many pixels of the end counts as there: zoomed pages scroll to fractions. */
const tolerance = 32;

/**
 * Follows whenever `content` is another object than before, and when a fold opens or shuts. With another `prompt` it
 * goes to the end, wherever its reader was: whoever sends one wants to see it.
 */
export function useFollowEnd(content: unknown, prompt: string | undefined): FollowEnd {
  const scrollerRef = useRef<HTMLDivElement>(null);
  const isFollowing = useRef(true);
  const [isAtEnd, setIsAtEnd] = useState(true);

  const scrollToEnd = useCallback(() => {
    const scroller = scrollerRef.current;
    if (!scroller) return;
    isFollowing.current = true;
    scroller.scrollTop = scroller.scrollHeight;
    // The button that was pressed goes away: focus stays where the reader now is.
    scroller.focus({ preventScroll: true });
    setIsAtEnd(true);
  }, []);

  useLayoutEffect(() => {
    const scroller = scrollerRef.current;
    if (!scroller) return;
    const update = () => {
      const distance = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight;
      isFollowing.current = distance <= tolerance;
      setIsAtEnd(isFollowing.current);
    };
    // The scroller itself shrinks when a permission card opens below it; what is in it changes with
    // folds, and with views that are loaded late.
    const observer = new ResizeObserver(() => {
      if (isFollowing.current) scroller.scrollTop = scroller.scrollHeight;
      else update();
    });
    observer.observe(scroller);
    if (scroller.firstElementChild) observer.observe(scroller.firstElementChild);
    scroller.addEventListener('scroll', update, { passive: true });
    return () => {
      observer.disconnect();
      scroller.removeEventListener('scroll', update);
    };
  }, []);

  const seen = useRef(prompt);
  useLayoutEffect(() => {
    const scroller = scrollerRef.current;
    if (prompt !== seen.current) isFollowing.current = true;
    seen.current = prompt;
    if (scroller && isFollowing.current) scroller.scrollTop = scroller.scrollHeight;
  }, [content, prompt]);

  return { scrollerRef, isAtEnd, scrollToEnd };
}
