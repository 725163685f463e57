// Who takes part in the turn bench, and by which names its metrics go.
export const contenderNames = [
  'rockpool',
  'tool_runner',
  'tool_runner_eager',
  'ai',
  'tanstack',
  'pi',
] as const;

export type ContenderName = (typeof contenderNames)[number];
