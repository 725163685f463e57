// Earlier prompts, as a shell has them. The arrow up in an empty field brings the newest back, and
// the next press the one before it. Used by composer.tsx.
import { useState } from 'react';
import type { KeyboardEvent } from 'react';

/**
 * Gives a handler for `onKeyDown`, which returns true if it took the key. Text that a person writes
 * is never replaced. Only an empty field is, or a recalled prompt that wasn't changed.
 */
export function usePromptHistory(
  prompts: readonly string[],
  text: string,
  setText: (text: string) => void,
): (event: KeyboardEvent<HTMLTextAreaElement>) => boolean {
  const [at, setAt] = useState(-1);
  return (event) => {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return false;
    if (event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return false;
    const isBack = event.key === 'ArrowUp';
    const isRecalled = prompts[at] === text;
    if (!isRecalled && (text !== '' || !isBack)) return false;
    const { selectionStart, selectionEnd } = event.currentTarget;
    // Within a prompt of several lines the arrows go from line to line.
    const beyond = isBack ? text.slice(0, selectionStart) : text.slice(selectionEnd);
    if (beyond.includes('\n')) return false;
    const next = findNext(prompts, isRecalled ? at : prompts.length, isBack ? -1 : 1);
    if (next === undefined) return false;
    event.preventDefault();
    setAt(next);
    setText(prompts[next] ?? '');
    return true;
  };
}

/**
 * The next prompt that isn't the same. The empty field comes behind the newest; nothing comes
 * before the oldest.
 */
function findNext(prompts: readonly string[], from: number, step: number): number | undefined {
  let at = from + step;
  while (at >= 0 && at < prompts.length && prompts[at] === prompts[from]) at += step;
  return at < 0 || at > prompts.length ? undefined : at;
}
