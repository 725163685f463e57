// Paths that a model knows from machines with a shell. Taken literally they would create a directory `~` or a file
// `C:\notes.md`. Called by the tools that create files.

/** Why no file is created at the path, and what to give instead. Undefined: the path is acceptable. */
export function explainForeignPath(path: string, cwd: string): string | undefined {
  if (/^~(?:\/|$)/u.test(path)) {
    return `~ isn't expanded here. Give the path from / on, or one from ${cwd}. A directory of that name is ./~.`;
  }
  if (/^[a-z]:[\\/]/iu.test(path)) {
    return `${path} is a path of Windows, and there are no drives here. Give one like ${cwd}/notes.md, or one from ${cwd}.`;
  }
  if (path.endsWith('/')) {
    return `${path} names a directory. Name the file: directories on its way are made with it.`;
  }
  return undefined;
}
