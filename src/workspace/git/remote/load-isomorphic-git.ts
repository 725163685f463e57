// Loads isomorphic-git with the first command that talks to a server. It is as large as the rest of
// git, so scripts/build.ts puts it into a separate file.
import { loadOnce } from '../../../core/async/load-once.ts';

/** The library's two commands that talk to servers. */
export const loadIsomorphicGit = loadOnce(async () => {
  const { getIsomorphicGit } = await import('./isomorphic-git.ts');
  return getIsomorphicGit();
});
