// `/agents` lists the available agents.
import type { CommandRun } from '../built-in-commands.ts';

export async function runAgents({ session }: CommandRun): Promise<string> {
  const agents = await session.commands.listAgents();
  if (agents.length === 0) return 'There are no agents that could be given work.';
  return agents.map(({ name, description }) => `${name}: ${description}`).join('\n');
}
