// What a call may do that a bench makes without an agent.
import type { PathAccess } from 'rockpool/workspace';

/** Everything, as a person's own cells may. */
export const fullAccess: PathAccess = {
  cwd: '/workspace',
  roots: ['/'],
  readOnlyRoots: [],
  rules: [],
  write: 'allow',
};

/** The heap cap is the agent's default. */
export const limits = {
  timeoutMs: 110_000,
  maxFileBytes: 10_000_000,
  maxOutputChars: 10_000_000,
  maxMemoryBytes: 128 * 1024 * 1024,
};
