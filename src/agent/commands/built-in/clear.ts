// `/clear` continues in a new session. The old one is kept.
import type { CommandRun } from '../built-in-commands.ts';

export async function runClear({ session, clear }: CommandRun): Promise<string> {
  await clear();
  return `A new conversation begins. The one before is kept, as ${session.id}.`;
}
