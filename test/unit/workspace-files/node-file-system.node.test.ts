// The contract's first half is a claim about Node: so it is held against Node's own fs.
import * as nodeFs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { describeNodeFileSystem } from '../../contract/file-system.contract.ts';
import { createNodeFiles } from '../../support/files/node-files.ts';

const made: string[] = [];

afterAll(async () => {
  for (const directory of made) await nodeFs.rm(directory, { recursive: true });
});

describeNodeFileSystem("Node's fs", async () => {
  const root = await nodeFs.realpath(await nodeFs.mkdtemp(join(tmpdir(), 'contract-')));
  made.push(root);
  return { fs: createNodeFiles(), root };
});
