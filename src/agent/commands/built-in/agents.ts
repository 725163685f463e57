// `/agents`: which agents there are.
import type { CommandRun } from '../built-in-commands.ts';

export function runAgents({ session }: CommandRun): string {
  const agents = session.commands.listAgents();
  if (agents.length === 0) return 'There are no agents that could be given work.';
  return agents.map(({ name, description }) => `${name}: ${description}`).join('\n');
}
