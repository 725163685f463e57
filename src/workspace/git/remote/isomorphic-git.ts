// The used part of isomorphic-git, with the global `Buffer` that it needs. Only
// load-isomorphic-git.ts imports it.
import { Buffer } from 'buffer';
import { fetch, push } from 'isomorphic-git';

/** Returns its two commands that talk to servers. Nothing runs before the first call. */
export function getIsomorphicGit(): { readonly fetch: typeof fetch; readonly push: typeof push } {
  const realm = globalThis as { Buffer?: unknown };
  realm.Buffer ??= Buffer;
  return { fetch, push };
}
