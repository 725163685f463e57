// `/help` lists the commands.
import type { CommandRun } from '../built-in-commands.ts';

/** Lists all commands, including those of the workspace, of skills and of servers. */
export function runHelp({ session }: CommandRun): string {
  const lines = session.commands
    .list()
    .map(({ name, argumentHint, description }) =>
      `/${name} ${argumentHint}`.trim().concat(description === '' ? '' : `: ${description}`),
    );
  return ['A prompt that begins with one of these is a command:', ...lines].join('\n');
}
