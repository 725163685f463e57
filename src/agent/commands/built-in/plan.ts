// `/plan` starts plan mode. Its arguments are the prompt.
import type { CommandRun } from '../built-in-commands.ts';

export function runPlan({ session }: CommandRun): string {
  const { permissions } = session;
  if (permissions.current().mode === 'plan') return 'Plan mode is on already.';
  permissions.setMode('plan');
  return 'Plan mode is on: the agent reads and plans, and what it changes isn’t kept. Say what is to be planned.';
}
