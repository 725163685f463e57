// The scheduler of a session store in a page: it redraws with the next frame.

/**
 * Calls back before the next frame, or after 200 ms if there are no frames. A hidden tab gets none, but its title
 * must still show that a question is open.
 */
export function nextFrame(callback: () => void): void {
  let isDone = false;
  const once = () => {
    if (isDone) return;
    isDone = true;
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    callback();
  };
  const frame = requestAnimationFrame(once);
  const timer = setTimeout(once, 200);
}
