// The session's task list as a person sees it, folded from the calls in the transcript: what TaskCreate, TaskUpdate,
// TaskList and TodoWrite said. Calls that a cell's code makes aren't in it; the next TaskList tells of them.
import { isRecord } from '../core/is-record.ts';
import type { CallEntry, Turn } from './transcript.ts';

/** One task of the list. */
export interface SessionTask {
  readonly id: string;
  readonly subject: string;
  readonly status: 'pending' | 'in_progress' | 'completed';
  /** What it is called while it is in progress. */
  readonly activeForm?: string;
  readonly owner?: string;
  /** Ids of the tasks that it waits for, done ones too. */
  readonly blockedBy: readonly string[];
}

/** By a turn, its calls that are about the list: a turn that didn't change keeps its object. */
const knownCalls = new WeakMap<Turn, readonly CallEntry[]>();

/** As it is after the newest of these turns. Of the two kinds of list the one that was written last. */
export function readSessionTasks(turns: readonly Turn[]): readonly SessionTask[] {
  let tasks: ReadonlyMap<string, SessionTask> = new Map();
  let isTodos = false;
  for (const call of turns.flatMap(listCalls)) {
    const isTodoWrite = call.toolName === 'TodoWrite';
    const before = isTodoWrite === isTodos ? tasks : new Map<string, SessionTask>();
    const after = readers[call.toolName]?.(call, before);
    if (!after) continue;
    tasks = after;
    isTodos = isTodoWrite;
  }
  return [...tasks.values()];
}

function listCalls(turn: Turn): readonly CallEntry[] {
  const known = knownCalls.get(turn);
  if (known) return known;
  const calls = turn.entries.filter(
    (entry): entry is CallEntry =>
      entry.kind === 'call' && Object.hasOwn(readers, entry.toolName) && hasEnded(entry),
  );
  knownCalls.set(turn, calls);
  return calls;
}

function hasEnded({ state }: CallEntry): boolean {
  return state === 'output-available';
}

type Tasks = ReadonlyMap<string, SessionTask>;

/** By tool, the list after its call; undefined where what the call says can't be read. */
const readers: Readonly<Record<string, (call: CallEntry, tasks: Tasks) => Tasks | undefined>> = {
  TaskCreate({ output, input }, tasks) {
    const task = isRecord(output) ? output['task'] : undefined;
    if (!isRecord(task)) return undefined;
    const { id, subject } = task;
    if (typeof id !== 'string' || typeof subject !== 'string') return undefined;
    const activeForm = readText(input, 'activeForm');
    const made = { id, subject, status: 'pending', blockedBy: [] } as const;
    return new Map(tasks).set(id, { ...made, ...(activeForm !== undefined && { activeForm }) });
  },

  TaskUpdate({ output, input }, tasks) {
    if (!isRecord(output) || output['success'] !== true || !isRecord(input)) return undefined;
    const { taskId } = output;
    const before = tasks.get(String(taskId));
    if (!before) return undefined;
    const { id } = before;
    const after = new Map(tasks);
    if (input['status'] === 'deleted') {
      after.delete(id);
      return after;
    }
    const status = readStatus(input['status']) ?? before.status;
    const subject = readText(input, 'subject') ?? before.subject;
    const activeForm = readText(input, 'activeForm') ?? before.activeForm;
    const owner = readText(input, 'owner') ?? before.owner;
    const blockedBy = [...new Set([...before.blockedBy, ...readIds(input['addBlockedBy'])])];
    after.set(id, {
      ...{ id, subject, status, blockedBy },
      ...(activeForm && { activeForm }),
      ...(owner && { owner }),
    });
    for (const blocked of readIds(input['addBlocks'])) {
      const other = after.get(blocked);
      if (!other) continue;
      after.set(blocked, { ...other, blockedBy: [...new Set([...other.blockedBy, id])] });
    }
    return after;
  },

  TaskList({ output }, tasks) {
    const given = isRecord(output) ? output['tasks'] : undefined;
    if (!Array.isArray(given)) return undefined;
    return new Map(
      given.flatMap((one: unknown): [string, SessionTask][] => {
        const status = isRecord(one) && readStatus(one['status']);
        const id = readText(one, 'id');
        const subject = readText(one, 'subject');
        if (!isRecord(one) || !status || id === undefined || subject === undefined) return [];
        const owner = readText(one, 'owner');
        const activeForm = tasks.get(id)?.activeForm;
        const task = { id, subject, status, blockedBy: readIds(one['blockedBy']) };
        return [[id, { ...task, ...(owner && { owner }), ...(activeForm && { activeForm }) }]];
      }),
    );
  },

  TodoWrite({ output }) {
    const given = isRecord(output) ? output['newTodos'] : undefined;
    if (!Array.isArray(given)) return undefined;
    return new Map(
      given.flatMap((one: unknown, at): [string, SessionTask][] => {
        const status = isRecord(one) && readStatus(one['status']);
        const subject = readText(one, 'content');
        if (!status || subject === undefined) return [];
        const id = String(at + 1);
        const activeForm = readText(one, 'activeForm');
        return [[id, { id, subject, status, blockedBy: [], ...(activeForm && { activeForm }) }]];
      }),
    );
  },
};

function readText(from: unknown, field: string): string | undefined {
  const value = isRecord(from) ? from[field] : undefined;
  return typeof value === 'string' ? value : undefined;
}

function readStatus(value: unknown): SessionTask['status'] | undefined {
  return value === 'pending' || value === 'in_progress' || value === 'completed'
    ? value
    : undefined;
}

function readIds(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((id) => typeof id === 'string') : [];
}
