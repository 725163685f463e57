// Of isomorphic-git's sources, which only its own suite has.
declare module 'isomorphic-git/internal-apis' {
  /** Its way to any file system. */
  export class FileSystem {
    constructor(fs: { readonly promises: object });
  }
}
