// Work that runs beside the conversation: what a tool declares about it, and which requests a tool may make about
// tasks. agent/background/ runs it.

/** A task that has just begun. Its tool tells the model about it. */
export interface StartedTask {
  readonly taskId: string;
  /** Absolute. The task's output is appended to this file. At the end the file holds the whole result. */
  readonly outputPath: string;
  /**
   * True if the query has one prompt: the task then ends with the turn. Otherwise the model is notified when the task
   * ends.
   */
  readonly endsWithFinalResponse: boolean;
}

/** How a tool's call runs in the background. All members are pure functions. */
export interface BackgroundWork<Input, Output, Progress> {
  /** The kind of task: the Claude Agent SDK's `task_type`. */
  readonly taskType: string;
  isAskedFor(input: Input): boolean;
  /**
   * The model gets each line that the task prints while it runs (agent/background/told-lines.ts). Left out: the model
   * is notified only of the task's end.
   */
  readonly tellsLines?: true;
  /** The output that the call returns at once, when the task has started. */
  toStartedOutput(task: StartedTask, input: Input): Output;
  /** If the query has one prompt, its turn waits for the task. Left out: the task ends with that turn. */
  readonly holdsTurn?: true;
  /** The text that one progress payload adds to the output file. */
  toOutputText(progress: Progress): string;
  /** The outcome, in one line. */
  describeOutcome(output: Output): string;
}

/**
 * The rest of a call, which runs in a task. It returns what the tool's `call` would return. `signal` is aborted when
 * the task is stopped or the query ends. `onProgress` adds to the task's file. The function is called even if the
 * task was stopped before it began; `signal` is aborted right afterwards. So the function can always release what the
 * call has opened.
 */
export type RestOfCall = (
  signal: AbortSignal,
  onProgress: (progress: unknown) => void,
) => Promise<{ readonly data: unknown }>;

/**
 * The rest of a call, which another tool runs in the background. It is judged at once as a call of that tool, on
 * behalf of the first call. The input must ask for the background.
 */
export interface RestByTool {
  readonly toolName: string;
  readonly input: unknown;
}

/** A running task, as people and the model see it. */
export interface TaskSummary {
  readonly taskId: string;
  readonly taskType: string;
  /** What the task does, in a few words. */
  readonly description: string;
}

/** The changes of a `completed` task are kept, those of any other are dropped. */
export type TaskStatus = 'completed' | 'failed' | 'stopped';

/** A task that runs or has ended. */
export interface TaskRun extends TaskSummary {
  readonly status: 'running' | TaskStatus;
  /** Absolute. See {@link StartedTask}. */
  readonly outputPath: string;
}

/** How a task has ended after a request to stop it. */
export interface StoppedTask extends TaskSummary {
  readonly status: TaskStatus;
  /** The task was a sub-agent, so what it had changed by then is kept. Left out: its changes are dropped. */
  readonly keepsChanges?: true;
}

/** The methods by which tools reach the tasks of one conversation. */
export interface BackgroundTasks {
  /**
   * Stops a task and waits until it has ended. Its changes are dropped, except those of a sub-agent. The status isn't
   * `stopped` if the task ended by itself meanwhile.
   *
   * @throws SdkError `bad-usage` for a task that doesn't run; the message lists the running tasks
   */
  stop(taskId: string): Promise<StoppedTask>;
  /** @throws SdkError `bad-usage` for a task that never ran in this conversation; the message lists those that did */
  find(taskId: string): TaskRun;
  /**
   * Resolves when the task has ended, or the time is over. Meanwhile the waiting call doesn't count as running, so
   * the task's changes can be committed.
   *
   * Rejects with the error that {@link find} throws, or with `aborted`.
   */
  whenEnded(
    taskId: string,
    limits: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<void>;
}
