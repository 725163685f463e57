// A task of the task list, as the host's hooks get it. They are asked before the task is recorded.

/** What a hook gets about the task. */
export interface AnnouncedTask {
  readonly id: string;
  readonly subject: string;
  readonly description: string;
}

/** Which change a hook is asked about: the task is about to be created, or marked as completed. */
export type TaskEvent = 'TaskCreated' | 'TaskCompleted';
