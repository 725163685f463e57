// What of isomorphic-git is used, with the `Buffer` that it takes for a global. load-isomorphic-git.ts
// imports it, and nobody else does.
import { Buffer } from 'buffer';
import { fetch, push } from 'isomorphic-git';

/** Its two commands that talk to servers. Nothing happens before the first call. */
export function getIsomorphicGit(): { readonly fetch: typeof fetch; readonly push: typeof push } {
  const realm = globalThis as { Buffer?: unknown };
  realm.Buffer ??= Buffer;
  return { fetch, push };
}
