// A Grep as the agent has it done, by a host's own executor.
import type { RunningWork } from '../../../src/core/tool/ports.ts';
import type { BrowserHost } from '../../../src/hosts/browser/page/create-browser-host.ts';
import { ignore } from '../stages/work-request.ts';

let calls = 0;

/** Of all files, with no rules. */
export function startGrep({ executor, workspace }: BrowserHost, input: object): RunningWork {
  return executor.start(
    {
      callId: `call-${(calls += 1)}`,
      toolName: 'Grep',
      input,
      sessionId: 'session',
      address: { root: 'main', minSeq: workspace.seq() },
      access: { cwd: '/workspace', roots: ['/'], readOnlyRoots: [], rules: [], write: 'deny' },
      cwd: '/workspace',
      limits: { timeoutMs: 60_000, maxFileBytes: 1e7, maxOutputChars: 1e8, maxMemoryBytes: 1e8 },
      knownVersions: [],
      isStateless: true,
    },
    ignore,
  );
}
