// Which conversation the page shows, in its address: so a reload, a restored tab and the back button find it.
import { useSyncExternalStore } from 'react';

const prefix = '#session=';

export interface SessionAddress {
  readonly id: string;
  /** Shows another one; the back button leads back. */
  readonly show: (id: string) => void;
  /** A conversation that isn't there yet. */
  readonly showNew: () => void;
}

export function useSessionAddress(): SessionAddress {
  return { id: useSyncExternalStore(subscribe, readId), show, showNew };
}

function subscribe(listener: () => void): () => void {
  addEventListener('hashchange', listener);
  return () => removeEventListener('hashchange', listener);
}

/** Without one in the address it gets that of a new conversation. */
function readId(): string {
  const found = location.hash.startsWith(prefix) ? location.hash.slice(prefix.length) : '';
  // What can be a session's id.
  if (/^[\w-]{1,128}$/.test(found)) return found;
  const id = crypto.randomUUID();
  history.replaceState(history.state, '', prefix + id);
  return id;
}

function show(id: string): void {
  if (id !== readId()) location.hash = prefix + id;
}

function showNew(): void {
  show(crypto.randomUUID());
}
