// A call as it comes to an executor, and its reply, where neither matters.
import type { WorkRequest } from '../../../src/core/tool/ports.ts';

/** A call of no consequence. */
export function requestOf(toolName: string, input: unknown = {}, callId = 'call-1'): WorkRequest {
  return {
    callId,
    toolName,
    input,
    sessionId: 'session-1',
    address: { root: 'main', minSeq: 0 },
    access: { cwd: '/', roots: ['/'], readOnlyRoots: [], rules: [], write: 'allow' },
    cwd: '/',
    limits: { timeoutMs: 1000, maxFileBytes: 1, maxOutputChars: 1, maxMemoryBytes: 1 },
    knownVersions: [],
  };
}

export const done = (output: unknown) =>
  ({ type: 'done', output, changeSet: null, reads: [] }) as const;
export const ignore = () => {};
