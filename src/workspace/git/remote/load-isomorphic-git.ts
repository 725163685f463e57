// Loads isomorphic-git with the first command that talks to a server: it is as large as all the rest of
// git, and scripts/build.ts makes a file of its own of it.
import { loadOnce } from '../../../core/async/load-once.ts';

/** The library's two commands that talk to servers. */
export const loadIsomorphicGit = loadOnce(async () => {
  const { getIsomorphicGit } = await import('./isomorphic-git.ts');
  return getIsomorphicGit();
});
