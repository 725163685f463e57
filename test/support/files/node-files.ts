// Node's own fs as the half of the port that it has, with codes that compare.
import * as nodeFs from 'node:fs/promises';
import type { NodeHalf } from '../../contract/file-system-subject.ts';

/** Some of Node's checks before the system call have codes of their own. */
const systemCodes: Record<string, string> = {
  ERR_FS_EISDIR: 'EISDIR',
  ERR_FS_CP_EINVAL: 'EINVAL',
  ERR_FS_CP_DIR_TO_NON_DIR: 'ENOTDIR',
  ERR_FS_CP_NON_DIR_TO_DIR: 'EISDIR',
  ERR_FS_CP_EEXIST: 'EEXIST',
};

export function createNodeFiles(): NodeHalf {
  return new Proxy(nodeFs, {
    get(target, name) {
      const operation = Reflect.get(target, name) as (...parameters: unknown[]) => Promise<unknown>;
      // Neither a promise nor one of the checks.
      if (name === 'watch') return operation;
      return async (...parameters: unknown[]) => {
        try {
          return await operation(...parameters);
        } catch (error) {
          const { code } = error as { code: string };
          throw Object.assign(error as Error, { code: systemCodes[code] ?? code });
        }
      };
    },
  }) as unknown as NodeHalf;
}
