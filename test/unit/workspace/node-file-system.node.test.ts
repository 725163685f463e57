// The contract's first half is a claim about Node: so it is held against Node's own fs.
import * as nodeFs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { FileSystem } from '../../../src/workspace/file-system.ts';
import { describeNodeFileSystem } from '../../contract/file-system.contract.ts';

const made: string[] = [];

afterAll(async () => {
  for (const directory of made) await nodeFs.rm(directory, { recursive: true });
});

describeNodeFileSystem("Node's fs", async () => {
  const root = await nodeFs.realpath(await nodeFs.mkdtemp(join(tmpdir(), 'contract-')));
  made.push(root);
  return { fs: fromNode(), root };
});

/** Some of Node's checks before the system call have codes of their own. */
const systemCodes: Record<string, string> = {
  ERR_FS_EISDIR: 'EISDIR',
  ERR_FS_CP_EINVAL: 'EINVAL',
  ERR_FS_CP_DIR_TO_NON_DIR: 'ENOTDIR',
  ERR_FS_CP_NON_DIR_TO_DIR: 'EISDIR',
  ERR_FS_CP_EEXIST: 'EEXIST',
};

function fromNode(): FileSystem {
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
  }) as unknown as FileSystem;
}
