// Which conversation the page shows, in its address: so a reload, a restored tab and the back button find it.
import { useSyncExternalStore } from 'react';

const prefix = '#session=';

export interface SessionAddress {
  readonly id: string;
  /** Shows another one; the back button leads back. */
  readonly show: (id: string) => void;
  /** A conversation that isn't there yet. */
  readonly showNew: () => void;
  /** Its id was made here for a new one, of which nobody else knows yet. */
  readonly isFresh: (id: string) => boolean;
  readonly markBegun: (id: string) => void;
}

const fresh = new Set<string>();

export function useSessionAddress(): SessionAddress {
  return { id: useSyncExternalStore(subscribe, readId), show, showNew, isFresh, markBegun };
}

function isFresh(id: string): boolean {
  return fresh.has(id);
}

function markBegun(id: string): void {
  fresh.delete(id);
}

function makeId(): string {
  const id = crypto.randomUUID();
  fresh.add(id);
  return id;
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
  const id = makeId();
  history.replaceState(history.state, '', prefix + id);
  return id;
}

function show(id: string): void {
  if (id !== readId()) location.hash = prefix + id;
}

function showNew(): void {
  show(makeId());
}
