// Keeps a growing list scrolled to its end until its reader scrolls away.
import { useCallback, useLayoutEffect, useRef, useState } from 'react';
import type { RefObject } from 'react';

export interface FollowEnd {
  /** The box that scrolls. Its content is in one child. */
  readonly scrollerRef: RefObject<HTMLDivElement | null>;
  readonly isAtEnd: boolean;
  readonly scrollToEnd: () => void;
}

/** So many pixels from the end still count as the end: zoomed pages scroll to fractions. */
const tolerance = 32;

/**
 * Scrolls to the end whenever `content` is another object than before, and when a fold opens or shuts. A new `prompt`
 * always scrolls to the end: a person who sends a prompt wants to see it.
 */
export function useFollowEnd(content: unknown, prompt: string | undefined): FollowEnd {
  const scrollerRef = useRef<HTMLDivElement>(null);
  const isFollowing = useRef(true);
  /** The scroll position at the last look, and the scroller's height then. */
  const last = useRef({ top: 0, height: 0 });
  const [isAtEnd, setIsAtEnd] = useState(true);

  const keepAtEnd = useCallback((scroller: HTMLElement) => {
    scroller.scrollTop = scroller.scrollHeight;
    last.current = look(scroller);
  }, []);

  const scrollToEnd = useCallback(() => {
    const scroller = scrollerRef.current;
    if (!scroller) return;
    isFollowing.current = true;
    keepAtEnd(scroller);
    // The pressed button goes away, so the focus stays where the reader now is.
    scroller.focus({ preventScroll: true });
    setIsAtEnd(true);
  }, [keepAtEnd]);

  useLayoutEffect(() => {
    const scroller = scrollerRef.current;
    if (!scroller) return;
    const update = () => {
      const now = look(scroller);
      const isAtEnd = scroller.scrollHeight - now.top - scroller.clientHeight <= tolerance;
      // The event comes a frame later than the scrolling. If a question has opened by then, the end is out of sight
      // although nobody has left it. Layout scrolls, too, where what is below shrinks: then the height has changed.
      if (isAtEnd) isFollowing.current = true;
      else if (now.top !== last.current.top && now.height === last.current.height) {
        isFollowing.current = false;
      }
      last.current = now;
      setIsAtEnd(isFollowing.current);
    };
    // The scroller itself shrinks when a permission card opens below it. Its content changes with
    // folds, and with views that are loaded late.
    const observer = new ResizeObserver(() => {
      if (isFollowing.current) keepAtEnd(scroller);
      else update();
    });
    observer.observe(scroller);
    if (scroller.firstElementChild) observer.observe(scroller.firstElementChild);
    scroller.addEventListener('scroll', update, { passive: true });
    return () => {
      observer.disconnect();
      scroller.removeEventListener('scroll', update);
    };
  }, [keepAtEnd]);

  const seen = useRef(prompt);
  useLayoutEffect(() => {
    const scroller = scrollerRef.current;
    if (prompt !== seen.current) isFollowing.current = true;
    seen.current = prompt;
    if (scroller && isFollowing.current) keepAtEnd(scroller);
  }, [content, prompt, keepAtEnd]);

  return { scrollerRef, isAtEnd, scrollToEnd };
}

function look({ scrollTop, clientHeight }: HTMLElement) {
  return { top: scrollTop, height: clientHeight };
}
