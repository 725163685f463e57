// Earlier prompts, as a shell has them. The arrow up in an empty field brings the newest back, and
// the next press the one before it. Used by composer.tsx.
import { useState } from 'react';
import type { KeyboardEvent } from 'react';

/**
 * What `onKeyDown` does with the field's keys: true where the key was taken. What a person writes is never replaced: only
 * an empty field is, and a prompt that was brought back and not changed.
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

/** The next one that isn't the same. Behind the newest is the empty field; before the oldest nothing. */
function findNext(prompts: readonly string[], from: number, step: number): number | undefined {
  let at = from + step;
  while (at >= 0 && at < prompts.length && prompts[at] === prompts[from]) at += step;
  return at < 0 || at > prompts.length ? undefined : at;
}
