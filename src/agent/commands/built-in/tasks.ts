// `/tasks` lists the background tasks and the task list.
import { listTasks, readRecordedTasks } from '../../../core/session/task-list.ts';
import type { ListedTask } from '../../../core/session/task-list.ts';
import type { SessionFold } from '../../journal/fold.ts';
import type { CommandRun } from '../built-in-commands.ts';

/** Rejects if the list can't be read. */
export function runTasks({ session }: CommandRun): string {
  const { fold } = session.journal;
  const running = [...fold.tasks.values()].filter(({ status }) => status === 'running');
  const background = running.map(
    ({ id, description, outputPath }) => `${id}: ${description} (its output is in ${outputPath})`,
  );
  const listed = listDue(fold);
  return [
    ...(background.length > 0
      ? ['In the background:', ...background]
      : ['No task runs in the background.']),
    ...(listed.length > 0 ? ['To be done:', ...listed] : ['The task list is empty.']),
  ].join('\n');
}

/** The list of the Task tools, otherwise that of TodoWrite as it is kept for a compaction. */
function listDue({ states, reminders }: SessionFold): readonly string[] {
  const tasks = listTasks(readRecordedTasks({ get: (key) => states.get(key) }));
  if (tasks.length > 0) return tasks.map(describe);
  return (reminders.get('todos') ?? '').split('\n').slice(1);
}

function describe({ id, subject, status, owner, blockedBy }: ListedTask): string {
  const facts = [
    status.replace('_', ' '),
    ...(owner === undefined ? [] : [owner]),
    ...(blockedBy.length === 0 ? [] : [`after ${blockedBy.join(', ')}`]),
  ];
  return `${id}. ${subject} (${facts.join('; ')})`;
}
