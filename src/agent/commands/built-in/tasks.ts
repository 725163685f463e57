// `/tasks`: what runs in the background, and what is to be done.
import type { CommandRun } from '../built-in-commands.ts';

export function runTasks({ session }: CommandRun): string {
  const running = [...session.journal.fold.tasks.values()].filter(
    ({ status }) => status === 'running',
  );
  const background = running.map(
    ({ id, description, outputPath }) => `${id}: ${description} (its output is in ${outputPath})`,
  );
  const listed = session.commands.listTasks();
  return [
    ...(background.length > 0
      ? ['In the background:', ...background]
      : ['No task runs in the background.']),
    ...(listed.length > 0 ? ['To be done:', ...listed] : ['The task list is empty.']),
  ].join('\n');
}
