// The prompts of a conversation that wait, kept for this tab: a reload must not lose what a person has written.
import type { PageSession, WaitingPrompt } from 'rockpool/react';

const keyOf = (id: string) => `rockpool-demo:waiting:${id}`;

/** Those that waited when this tab was left. */
export function readWaiting(id: string): readonly WaitingPrompt[] {
  try {
    const text = sessionStorage.getItem(keyOf(id));
    return text === null ? [] : (JSON.parse(text) as readonly WaitingPrompt[]);
  } catch {
    // Storage is blocked: nothing was kept.
    return [];
  }
}

/** Keeps them as they come and go, until what is given is called. */
export function keepWaiting(id: string, { waiting }: Pick<PageSession, 'waiting'>): () => void {
  return waiting.subscribe(() => {
    const prompts = waiting.getSnapshot();
    // Where there is no room for the images the texts are kept.
    const texts = prompts.map((prompt) => ({ ...prompt, images: [] }));
    if (!write(id, prompts)) write(id, texts);
  });
}

function write(id: string, prompts: readonly WaitingPrompt[]): boolean {
  try {
    if (prompts.length === 0) sessionStorage.removeItem(keyOf(id));
    else sessionStorage.setItem(keyOf(id), JSON.stringify(prompts));
    return true;
  } catch {
    return false;
  }
}
