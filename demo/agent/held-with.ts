// Keeps the name of the model with which this tab's newest conversation was begun. Before the first complete reply no
// stored message has it.

const key = 'rockpool-demo:held-with';

export function rememberHeldWith(id: string, model: string): void {
  try {
    sessionStorage.setItem(key, JSON.stringify([id, model]));
  } catch {
    // Storage is blocked or full: after a reload the page can't warn of a lost key.
  }
}

/** Empty if this tab doesn't know the model. */
export function readHeldWith(id: string): string {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(key) ?? '[]');
    return Array.isArray(stored) && stored[0] === id ? String(stored[1]) : '';
  } catch {
    return '';
  }
}
