// isomorphic-git with the `Buffer` that it takes for a global. Only files of git import this one.
import { Buffer } from 'buffer';
import * as isomorphicGit from 'isomorphic-git';

/** The library. Nothing happens before the first call, as loading a module must do nothing. */
export function getIsomorphicGit(): typeof isomorphicGit {
  const realm = globalThis as { Buffer?: unknown };
  realm.Buffer ??= Buffer;
  return isomorphicGit;
}
