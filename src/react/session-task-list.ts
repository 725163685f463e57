// The session's task list for people. It is a fold over the calls in the transcript, which readers of the tools
// interpret. Calls by a cell's code aren't included until the next call that shows the whole list.
import { getOrMake } from '../core/values/get-or-make.ts';
import type { CallEntry, Turn } from './transcript.ts';

/** One task of the list. */
export interface SessionTask {
  readonly id: string;
  readonly subject: string;
  readonly status: 'pending' | 'in_progress' | 'completed';
  /** The task's name while it is in progress. */
  readonly activeForm?: string;
  readonly owner?: string;
  /** Ids of the tasks that it waits for, done ones too. */
  readonly blockedBy: readonly string[];
}

/** The tasks by their ids, in order. */
export type SessionTasks = ReadonlyMap<string, SessionTask>;

/** Reads the task list from a tool's calls. */
export interface TaskListReader {
  /** The list's name. Tools with another list give another name. */
  readonly list: string;
  /** The list after a call that has succeeded. Undefined if the call can't be read. */
  read(call: CallEntry, before: SessionTasks): SessionTasks | undefined;
}

/** Readers by the tool's name. */
export type TaskListReaders = Readonly<Record<string, TaskListReader>>;

/** The calls of each turn that are about the list. A turn that didn't change keeps its object. */
const knownCalls = new WeakMap<TaskListReaders, WeakMap<Turn, readonly CallEntry[]>>();

/**
 * The list after the newest of these turns. If there are several lists, the one that was written
 * last is taken.
 */
export function readSessionTasks(
  turns: readonly Turn[],
  readers: TaskListReaders,
): readonly SessionTask[] {
  const known = getOrMake(knownCalls, readers, () => new WeakMap());
  const calls = turns.flatMap((turn) => getOrMake(known, turn, () => listCalls(turn, readers)));
  let tasks: SessionTasks = new Map();
  let list: string | undefined;
  for (const call of calls) {
    const reader = readers[call.toolName];
    const after = reader?.read(call, reader.list === list ? tasks : new Map());
    if (!reader || !after) continue;
    tasks = after;
    ({ list } = reader);
  }
  return [...tasks.values()];
}

function listCalls({ entries }: Turn, readers: TaskListReaders): readonly CallEntry[] {
  return entries.filter(
    (entry): entry is CallEntry =>
      entry.kind === 'call' &&
      entry.state === 'output-available' &&
      Object.hasOwn(readers, entry.toolName),
  );
}
