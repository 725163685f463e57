// Read the task list from calls of its tools, so that React's TaskList follows the session's list.
// Data of another form, by a hook or an older journal, is passed over.
import { isRecord } from '../core/values/is-record.ts';
import type { SessionTask, TaskListReaders } from '../react/session-task-list.ts';

/** Readers by tool. Give it to `TaskList`. */
export const taskListReaders: TaskListReaders = {
  TaskCreate: {
    list: 'tasks',
    read({ output, input }, tasks) {
      const task = isRecord(output) ? output['task'] : undefined;
      if (!isRecord(task)) return undefined;
      const { id, subject } = task;
      if (typeof id !== 'string' || typeof subject !== 'string') return undefined;
      const activeForm = readText(input, 'activeForm');
      const made = { id, subject, status: 'pending', blockedBy: [] } as const;
      return new Map(tasks).set(id, { ...made, ...(activeForm !== undefined && { activeForm }) });
    },
  },

  TaskUpdate: {
    list: 'tasks',
    read({ output, input }, tasks) {
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
  },

  TaskList: {
    list: 'tasks',
    read({ output }, tasks) {
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
  },

  TodoWrite: {
    list: 'todos',
    read({ output, parentToolUseId }) {
      // A sub-agent has a list of its own.
      if (parentToolUseId !== null) return undefined;
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
