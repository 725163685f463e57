// A repository that was found in a draft: where its parts are, and what reads and writes them. All
// commands take one. It follows `.git` files and `commondir`, which isomorphic-git doesn't.
import type { WorkspaceView } from '../draft/view.ts';
import type { LocalFileSystem } from '../files/file-system.ts';
import type { GitPerson, Oid } from './git.ts';

export type ObjectType = 'blob' | 'commit' | 'tag' | 'tree';

export interface GitObject {
  readonly type: ObjectType;
  /** Without git's header. Shared: neither changed nor kept where it is large. */
  readonly bytes: Uint8Array;
}

/** The object store: loose objects and packs, read; loose objects, written. */
export interface ObjectStore {
  /** @throws SdkError `ENOENT` with `data.oid` for an object that isn't there. */
  read(oid: Oid): Promise<GitObject>;
  has(oid: Oid): Promise<boolean>;
  /** Writes nothing where the object is there already. */
  write(type: ObjectType, bytes: Uint8Array): Promise<Oid>;
}

/** What a host decides for all repositories. */
export interface GitOptions {
  /** Where the search for a repository begins. @defaultValue the view's working directory */
  readonly directory?: string;
  /** Writes commits where the repository's config names nobody. */
  readonly author?: GitPerson;
  /** Minutes from local time to UTC. @defaultValue that of the realm */
  readonly timezoneOffset?: number;
}

/** One repository, as of one work tree. */
export interface Repository {
  readonly view: WorkspaceView;
  readonly options: GitOptions;
  /** The absolute path of the work tree. */
  readonly root: string;
  /** What is this work tree's own: HEAD, index. `/x/.git`, `/x/.git/worktrees/y`. */
  readonly gitDirectory: string;
  /** What all work trees share: objects, branches, config. The same where there is one work tree. */
  readonly commonDirectory: string;
  /** The draft's files, the git directories' own included whatever asks before writing them. */
  readonly files: LocalFileSystem;
  /**
   * For isomorphic-git, as `fs` beside `gitdir: gitDirectory`: what is shared is found in the common
   * directory.
   */
  readonly fs: { readonly promises: LocalFileSystem };
  readonly objects: ObjectStore;
}
