// The model that this tab's newest conversation was begun with: until its first reply is whole, nothing that is
// kept of it says so.

const key = 'rockpool-demo:held-with';

export function rememberHeldWith(id: string, model: string): void {
  try {
    sessionStorage.setItem(key, JSON.stringify([id, model]));
  } catch {
    // Blocked or full: after a reload the page can't warn of a key that is gone.
  }
}

/** Empty where this tab doesn't know. */
export function readHeldWith(id: string): string {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(key) ?? '[]');
    return Array.isArray(stored) && stored[0] === id ? String(stored[1]) : '';
  } catch {
    return '';
  }
}
