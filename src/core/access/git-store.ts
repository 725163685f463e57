// Where git keeps the contents of files. Security: a call could read there what a rule hides from it. path-access.ts
// asks it as soon as a rule keeps any file from being read.
import { isProtectedPath } from './protected-paths.ts';

/**
 * The parts of a `.git` without file contents: names of commits, messages and settings. All other
 * parts, including those of later versions of git, may contain file contents.
 */
const withoutContents =
  /^(?:worktrees(?:\/[^/]+(?:\/(?:HEAD|ORIG_HEAD|commondir|gitdir|logs|refs|config\.worktree)(?:\/.*)?)?)?|(?:HEAD|ORIG_HEAD|FETCH_HEAD|MERGE_HEAD|CHERRY_PICK_HEAD|REVERT_HEAD|COMMIT_EDITMSG|MERGE_MSG|config|description|packed-refs|shallow|hooks|info|logs|refs)(?:\/.*)?)$/u;

/** A repository by another name: `lib.git/objects/ab/…`. */
const looseOrPacked = /\/objects\/(?:[\da-f]{2}\/[\da-f]{38}|pack\/[^/]+\.(?:pack|idx))$/u;

/**
 * True if git stores its own data at this path: objects, refs, logs, the index. Protected paths,
 * such as settings, don't count. A person sees the meaning of git's changes, and not each path.
 */
export function isGitOwnPath(path: string, isDirectory = false): boolean {
  return path.includes('/.git/') && !isProtectedPath(path, isDirectory);
}

/** May the contents of tracked files be read there? `path` must be absolute and normal. */
export function isGitStorePath(path: string): boolean {
  const at = path.indexOf('/.git/');
  if (at < 0) return looseOrPacked.test(path);
  return !withoutContents.test(path.slice(at + '/.git/'.length));
}
