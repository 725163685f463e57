// POSIX paths as strings, for every realm. Nothing here uses a file system.

/** An absolute path without `.`, `..`, doubled or trailing slashes. `..` above the root stays at the root. */
export function normalizePath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') parts.pop();
    else parts.push(part);
  }
  return '/' + parts.join('/');
}

/** `path` as an absolute, normal path; a relative one is taken from `cwd`. */
export function resolvePath(cwd: string, path: string): string {
  return normalizePath(path.startsWith('/') ? path : `${cwd}/${path}`);
}

/** The parts as one absolute, normal path. A relative first part is resolved against the root. */
export function joinPath(...parts: readonly string[]): string {
  return normalizePath(parts.join('/'));
}

/** The parent directory; for the root, the root. `path` must be normal. */
export function dirname(path: string): string {
  const at = path.lastIndexOf('/');
  return at <= 0 ? '/' : path.slice(0, at);
}

/** The last name of a normal path; empty for the root. */
export function basename(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The extension with its dot. Empty for `.gitignore` and for names without a dot. */
export function extname(path: string): string {
  const name = basename(path);
  const at = name.lastIndexOf('.');
  return at <= 0 ? '' : name.slice(at);
}

/** True if `path` is the directory itself or below it. Both must be normal. */
export function isInside(directory: string, path: string): boolean {
  return directory === '/' || path === directory || path.startsWith(directory + '/');
}

/**
 * `path` relative to `directory`: `.` for the directory itself, and with `..` if the path isn't below it. Both must
 * be normal.
 */
export function relativePath(directory: string, path: string): string {
  const prefix = directory === '/' ? '/' : `${directory}/`;
  // The usual case, without arrays of names: a search calls this for each of its files.
  if (path.startsWith(prefix) && path !== prefix) return path.slice(prefix.length);
  const from = directory.split('/').filter(Boolean);
  const to = path.split('/').filter(Boolean);
  let shared = 0;
  while (shared < from.length && from[shared] === to[shared]) shared += 1;
  const climbed = [...from.slice(shared).map(() => '..'), ...to.slice(shared)];
  return climbed.length === 0 ? '.' : climbed.join('/');
}
