// Keeps the shown conversation's id in the page's address, so that a reload, a restored tab and the back button find
// it.
import { useSyncExternalStore } from 'react';

const prefix = '#session=';

export interface SessionAddress {
  readonly id: string;
  /** Shows another conversation. The back button returns. */
  readonly show: (id: string) => void;
  /** Shows a new conversation. */
  readonly showNew: () => void;
  /** True if the id was created here for a new conversation that nobody else knows yet. */
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

/** The id in the address. If there is none, the id of a new conversation is written there. */
function readId(): string {
  const found = location.hash.startsWith(prefix) ? location.hash.slice(prefix.length) : '';
  // The form of a session's id.
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
