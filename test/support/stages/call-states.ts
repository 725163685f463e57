import type { CallState } from '../../../src/core/tool/call-state.ts';

/** All of them, for tables and snapshots. */
export const callStates: readonly CallState[] = [
  'input-streaming',
  'input-queued',
  'input-available',
  'approval-requested',
  'approval-responded',
  'output-available',
  'output-error',
  'output-denied',
  'output-stopped',
];
