// Lists the background work of an agent that is about to stop, and its scheduled wake-ups. Used for
// Stop and SubagentStop hooks.
import { clipText } from '../../core/text/clip-text.ts';
import { toLocalTime } from '../../core/triggers/local-time.ts';
import type { HookFields } from '../hooks/hook-inputs.ts';
import type { Session } from '../session/session.ts';
import { listBackgroundTasks } from './tell-tasks.ts';

type Waiting = Pick<HookFields<'Stop'>, 'background_tasks' | 'session_crons'>;

/** Lists the work of the whole session, including its sub-agents. `session`: the main agent's. */
export function listWaiting({
  journal,
  crons,
  wakeups,
}: Pick<Session, 'journal' | 'crons' | 'wakeups'>): Waiting {
  const tasks = listBackgroundTasks(journal.fold).map((task) => ({
    id: task.task_id,
    type: labels.get(task.task_type) ?? task.task_type,
    status: 'running',
    description: clip(task.description),
    ...(task.subagent_type !== undefined && { agent_type: task.subagent_type }),
  }));
  const jobs = (crons?.list() ?? []).map(({ id, cron, recurring, prompt }) => ({
    id,
    schedule: cron,
    recurring,
    prompt: clip(prompt),
  }));
  const wakeup = crons && wakeups?.pending();
  const woken = wakeup && {
    id: 'wakeup',
    schedule: toSchedule(wakeup.dueAt, crons.timeZone),
    recurring: false,
    prompt: clip(wakeup.prompt),
  };
  return { background_tasks: tasks, session_crons: woken ? [...jobs, woken] : jobs };
}

/** The Claude Agent SDK's names for kinds of tasks. It has none for a cell. */
const labels: ReadonlyMap<string, string> = new Map([
  ['local_agent', 'subagent'],
  ['local_workflow', 'workflow'],
]);

/** The time as a cron expression, which has no year. */
function toSchedule(dueAt: number, timeZone: string): string {
  const parts = toLocalTime(dueAt, timeZone).split(/[- :]/u).map(Number);
  const [, month = 0, day = 0, hour = 0, minute = 0] = parts;
  return `${minute} ${hour} ${day} ${month} *`;
}

// 1 000 characters: as in the Claude Agent SDK.
const maxChars = 1_000;

function clip(text: string): string {
  const kept = clipText(text, maxChars);
  return kept === text ? text : `${kept}… [+${text.length - kept.length} chars]`;
}
