// A task of the task list, as the host's hooks are asked about it before it is recorded.

/** What hooks are told of it. */
export interface AnnouncedTask {
  readonly id: string;
  readonly subject: string;
  readonly description: string;
}

/** When they are asked: the task is about to be made, or to be marked as completed. */
export type TaskEvent = 'TaskCreated' | 'TaskCompleted';
