// The promise-based and the synchronous file system over a draft, which handlers get. Both share
// their operations. The promise-based one reads contents asynchronously and in batches.
import type { ContentSource } from '../state/content-source.ts';
import { openFileHandle } from './file-handle.ts';
import { createFileFace } from './file-operations.ts';
import type { LocalFileSystem, SyncFileSystem } from './file-system.ts';
import { performOperation } from './local-operations.ts';
import type { FileScope } from './read-operations.ts';
import { createSyncFileSystem } from './sync-file-system.ts';
import { watchPath, watchScope } from './watch-path.ts';

/** The synchronous interface is created on first use. */
export function createLocalFileSystem(
  unwatched: FileScope,
  contents: ContentSource,
): LocalFileSystem {
  const { scope, source } = watchScope(unwatched);
  const ground = { scope, contents };
  let sync: SyncFileSystem | undefined;
  const fs: LocalFileSystem = {
    ...createFileFace((operation, parameters) => performOperation(ground, operation, parameters)),
    get sync() {
      return (sync ??= createSyncFileSystem(scope, contents));
    },
    open: (path, flags, mode) => openFileHandle(fs, path, flags, mode),
    watch: (path, options) => watchPath(fs, source, path, options),
  };
  return fs;
}
