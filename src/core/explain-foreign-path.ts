// Paths that a model brings along from a machine with a shell. Taken as they stand they would make a directory `~` or a
// file `C:\notes.md`. Asked by the tools that make files.

/** Why no file is made at the path, and what to give instead; undefined for one that may be meant. */
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
