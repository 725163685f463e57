// A pool for tests that are about something else than pools: nothing of it is deferred.
import type { Pool } from '../../../src/agent/registry/prepare-pool.ts';
import type { Tools } from '../../../src/core/tool/tool.ts';

export function poolOf(tools: Tools, changes: Partial<Pool> = {}): Pool {
  return {
    tools,
    insideOnly: [],
    prefix: tools,
    steady: [],
    loaded: [],
    referred: [],
    unloaded: [],
    promptOptions: {
      permissionContext: { mode: 'default', rules: [], additionalWorkingDirectories: new Map() },
      tools,
      cwd: '/workspace',
    },
    asReferences: false,
    ...changes,
  };
}
