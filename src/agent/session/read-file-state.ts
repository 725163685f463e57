// What the model has read in this session, in memory: path and version.
import type { Version } from '../../core/change-set.ts';
import type { ReadFileState } from '../../core/tool/context.ts';

/** Empty: a model that has just begun knows no file. Paths are real ones. */
export function createReadFileState(): ReadFileState {
  const versions = new Map<string, Version>();
  return {
    get: (path) => versions.get(path),
    set: (path, version) => void versions.set(path, version),
    delete: (path) => void versions.delete(path),
    entries: () => versions.entries(),
  };
}
