// Keeps the waiting prompts of a conversation for this tab, so that a reload doesn't lose them.
import type { PageSession, WaitingPrompt } from 'rockpool/react';

const keyOf = (id: string) => `rockpool-demo:waiting:${id}`;

/** The prompts that waited when the page was left. */
export function readWaiting(id: string): readonly WaitingPrompt[] {
  try {
    const text = sessionStorage.getItem(keyOf(id));
    return text === null ? [] : (JSON.parse(text) as readonly WaitingPrompt[]);
  } catch {
    // Storage is blocked: nothing was kept.
    return [];
  }
}

/** Keeps the waiting prompts at each change, until the returned function is called. */
export function keepWaiting(id: string, { waiting }: Pick<PageSession, 'waiting'>): () => void {
  return waiting.subscribe(() => {
    const prompts = waiting.getSnapshot();
    // If there is no room for the images, only the texts are kept.
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
