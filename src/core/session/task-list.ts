// The session's task list, which the Task tools keep in the session's states. Each task has its own key, so a change
// records only that task. Used by `call` of these tools.
import * as z from 'zod';
import { clipText } from '../text/clip-text.ts';
import { SdkError } from '../errors.ts';
import { isRecord } from '../values/is-record.ts';
import { lazySchema } from '../schema/lazy-schema.ts';
import type { SessionStates } from './session-states.ts';

/** How far a task has come. */
export const taskStatuses = ['pending', 'in_progress', 'completed'] as const;

/** One of {@link taskStatuses}. */
export type ListedTaskStatus = (typeof taskStatuses)[number];

/** Security: states are parsed by a schema, because an imported session is untrusted. */
const recordedTaskSchema = lazySchema(() => {
  const ids = z.array(z.string()).readonly();
  return z.object({
    /** Counts from 1. */
    id: z.string(),
    subject: z.string(),
    description: z.string(),
    activeForm: z.string().exactOptional(),
    /** A deleted task stays recorded, so that its id isn't used again. */
    status: z.enum([...taskStatuses, 'deleted']),
    owner: z.string().exactOptional(),
    metadata: z.record(z.string(), z.unknown()).readonly().exactOptional(),
    /** The relations that were set on this task. A relation that was set on the other task is recorded there. */
    blocks: ids,
    blockedBy: ids,
    /**
     * The call that created the task. If a call was cut before its result was recorded, the resumed call sees by this
     * id that its work is done.
     */
    madeBy: z.string(),
    /** The last change of the task, and its call, for the same reason. */
    lastChange: z
      .object({
        call: z.string(),
        updatedFields: z.array(z.string()).readonly(),
        statusChange: z.object({ from: z.string(), to: z.string() }).readonly().exactOptional(),
      })
      .readonly()
      .exactOptional(),
  });
});

/** A recorded task. */
export type RecordedTask = Readonly<z.output<ReturnType<typeof recordedTaskSchema>>>;

/** What a call has changed of a task. */
export type TaskChange = NonNullable<RecordedTask['lastChange']>;

/** A task of the list, with all its relations. */
export interface ListedTask extends RecordedTask {
  readonly status: ListedTaskStatus;
}

// 500: more than a model can keep track of. A list of so many tasks still fits into one result of TaskList.
export const maxListedTasks = 500;

/**
 * The timeout of a call about which hooks are asked, in milliseconds: a day, the longest time of a hook. Hooks have
 * their own deadlines.
 */
export const hookedTimeoutMs = 86_400_000;

// 200 characters: a line. 10 000: a longer description belongs into a file.
const maxChars = { subject: 200, activeForm: 200, owner: 200, description: 10_000 } as const;
const maxMetadataChars = 10_000;

/** Why a task can't have these fields. Undefined: it can. */
export function findFault(
  fields: { readonly [Field in keyof typeof maxChars]?: string | undefined } & {
    readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  },
): string | undefined {
  if (fields.subject?.trim() === '')
    return 'The subject is empty: say in a line what is to be done.';
  for (const [field, limit] of Object.entries(maxChars)) {
    const { length } = fields[field as keyof typeof maxChars] ?? '';
    if (length <= limit) continue;
    return `${field} has ${length} characters, and ${limit} are the most: write the rest into a file, and name that.`;
  }
  const { length } = JSON.stringify(fields.metadata ?? {});
  if (length <= maxMetadataChars) return undefined;
  return `metadata has ${length} characters as JSON, and ${maxMetadataChars} are the most: write it into a file, and name that.`;
}

/**
 * All tasks that were ever created, in the order of their ids.
 *
 * @throws SdkError `invalid-input` for a value that isn't a task of ours
 */
export function readRecordedTasks(states: Pick<SessionStates, 'get'>): readonly RecordedTask[] {
  const tasks: RecordedTask[] = [];
  for (;;) {
    const id = String(tasks.length + 1);
    const value = states.get(toKey(id));
    if (value === undefined) return tasks;
    const task = readTask(value);
    if (task?.id !== id) throw unreadable(id);
    tasks.push(task);
  }
}

/** A cache by the recorded value, because each call reads all tasks. */
const known = new WeakMap<object, RecordedTask>();

function readTask(value: unknown): RecordedTask | undefined {
  if (!isRecord(value)) return undefined;
  const task = known.get(value) ?? recordedTaskSchema().safeParse(value, { jitless: true }).data;
  if (task) known.set(value, task);
  return task;
}

function unreadable(id: string): SdkError {
  return new SdkError(
    'invalid-input',
    `The task list of this session can't be read: its task ${id} isn't one of Rockpool's. Do without the list; the user may begin a new session.`,
    { data: { id } },
  );
}

/** The tasks that aren't deleted, with each relation on both of its tasks. */
export function listTasks(recorded: readonly RecordedTask[]): readonly ListedTask[] {
  const listed = recorded.flatMap((task) => (isListed(task) ? [task] : []));
  const blocks = new Map(listed.map(({ id }) => [id, new Set<string>()]));
  const blockedBy = new Map(listed.map(({ id }) => [id, new Set<string>()]));
  const relate = (blocker: string, blocked: string) => {
    if (!blocks.has(blocker) || !blocks.has(blocked)) return;
    blocks.get(blocker)?.add(blocked);
    blockedBy.get(blocked)?.add(blocker);
  };
  for (const task of listed) {
    for (const other of task.blocks) relate(task.id, other);
    for (const other of task.blockedBy) relate(other, task.id);
  }
  const toIds = (ids: ReadonlySet<string> | undefined) =>
    [...(ids ?? [])].sort((a, b) => Number(a) - Number(b));
  return listed.map((task) => ({
    ...task,
    blocks: toIds(blocks.get(task.id)),
    blockedBy: toIds(blockedBy.get(task.id)),
  }));
}

function isListed(task: RecordedTask): task is ListedTask {
  return task.status !== 'deleted';
}

/** A sentence that says that the task doesn't exist, and lists ids that do. */
export function describeUnknownTask(id: string, tasks: readonly ListedTask[]): string {
  if (tasks.length === 0) return `There is no task ${clipText(id, 50)}: the task list is empty.`;
  // 20: enough to show what ids look like.
  const ids = tasks.slice(0, 20).map((task) => task.id);
  const more = tasks.length > ids.length ? ', …' : '';
  return `There is no task ${clipText(id, 50)}. There are ${ids.join(', ')}${more}: TaskList shows them.`;
}

/** The tasks of a cycle, with the first one also at the end. Undefined if there is no cycle. */
export function findCycle(tasks: readonly ListedTask[]): readonly string[] | undefined {
  const blocks = new Map(tasks.map((task) => [task.id, task.blocks]));
  const done = new Set<string>();
  for (const { id } of tasks) {
    // An explicit stack, because a chain may be as long as the list.
    const way: { readonly id: string; next: number }[] = [];
    if (!done.has(id)) way.push({ id, next: 0 });
    for (let last = way.at(-1); last; last = way.at(-1)) {
      const next = blocks.get(last.id)?.[last.next];
      last.next += 1;
      if (next === undefined) {
        done.add(last.id);
        way.pop();
        continue;
      }
      const from = way.findIndex((one) => one.id === next);
      if (from >= 0) return [...way.slice(from).map((one) => one.id), next];
      if (!done.has(next)) way.push({ id: next, next: 0 });
    }
  }
  return undefined;
}

/** Records the task, and its line for the model after a compaction. A completed task has no line. */
export function recordTask(states: SessionStates, task: RecordedTask): Promise<void> {
  const isOpen = task.status === 'pending' || task.status === 'in_progress';
  return states.set(toKey(task.id), task, isOpen ? toReminder(task) : undefined);
}

function toReminder({ id, status, owner, blockedBy, subject }: RecordedTask): string {
  const facts = [
    status === 'pending' ? 'to be done' : 'in progress',
    ...(owner === undefined ? [] : [`owner ${owner}`]),
    ...(blockedBy.length === 0 ? [] : [`after ${blockedBy.join(', ')}`]),
  ];
  return `Task ${id} of the task list (${facts.join('; ')}): ${subject.replaceAll(/\s+/gu, ' ')}`;
}

function toKey(id: string): string {
  return `tasks/${id}`;
}
