// The states of one tool call as a person sees them, local or remote: what every view renders by.

/**
 * In order: its input arrives; it is complete; a person is asked; has answered; and one of three
 * ends. A call that needs no question goes from `input-available` straight to an end.
 */
export type CallState =
  | 'input-streaming'
  | 'input-available'
  | 'approval-requested'
  | 'approval-responded'
  | 'output-available'
  | 'output-error'
  | 'output-denied';

/** The same as a list, for tables and snapshots over all of them. */
export const callStates: readonly CallState[] = [
  'input-streaming',
  'input-available',
  'approval-requested',
  'approval-responded',
  'output-available',
  'output-error',
  'output-denied',
];
