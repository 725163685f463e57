// The project's git for the parts of the page. It is created and disposed with the host.
import { useEffect, useState, useSyncExternalStore } from 'react';
import type { BrowserHost } from 'rockpool/browser';
import { createGitWatch } from './git-watch.ts';
import type { GitState, GitWatch } from './git-watch.ts';

/** Null while no project is open. */
export function useGitWatch(host: BrowserHost | null): GitWatch | null {
  const [watch, setWatch] = useState<GitWatch | null>(null);
  useEffect(() => {
    const created = host && createGitWatch(host);
    setWatch(created);
    return () => created?.[Symbol.dispose]();
  }, [host]);
  return watch;
}

export function useGitState(watch: GitWatch): GitState {
  return useSyncExternalStore(watch.subscribe, watch.getSnapshot);
}
