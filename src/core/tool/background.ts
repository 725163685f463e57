// Work that goes on beside the conversation: what a tool says of it, and what a tool may ask of the
// agent about it. It is run by agent/background/.

/** A task that has just begun, as its tool tells the model of it. */
export interface StartedTask {
  readonly taskId: string;
  /** Absolute. What the task prints is appended to it; at its end it holds the whole result. */
  readonly outputPath: string;
  /** The query has one prompt: its answer ends the task. Otherwise a task that ends is told at once. */
  readonly endsWithFinalResponse: boolean;
}

/** How a tool's call runs in the background. Functions of their arguments alone. */
export interface BackgroundWork<Input, Output, Progress> {
  /** What kind of task it is, as the Claude Agent SDK's `task_type`. */
  readonly taskType: string;
  isAskedFor(input: Input): boolean;
  /**
   * Each line that its task prints is told to the model while the task runs, by agent/background/told-lines.ts. Left
   * out: the task's end alone is told.
   */
  readonly tellsLines?: true;
  /** The call's own output, which it has at once. */
  toStartedOutput(task: StartedTask, input: Input): Output;
  /** A turn isn't over while it runs where nobody would be told of its end. Left out: the turn's end ends it. */
  readonly holdsTurn?: true;
  /** What one progress payload adds to the output file. */
  toOutputText(progress: Progress): string;
  /** What came of it, in a line. */
  describeOutcome(output: Output): string;
}

/**
 * What is left of a call, as it runs in a task: gives what the tool's `call` would give. `signal` is aborted when the
 * task is stopped, or the query ends; what `onProgress` is told goes to the task's file. It is
 * called also where the task was stopped before, and `signal` is aborted right after. So it can let
 * go of what the call has opened.
 */
export type RestOfCall = (
  signal: AbortSignal,
  onProgress: (progress: unknown) => void,
) => Promise<{ readonly data: unknown }>;

/**
 * The rest of a call, which another tool does in the background. It is judged at once, as a call of that tool in the
 * name of the call that leaves it. The input must ask for the background.
 */
export interface RestByTool {
  readonly toolName: string;
  readonly input: unknown;
}

/** One task that runs, as people and the model are told of it. */
export interface TaskSummary {
  readonly taskId: string;
  readonly taskType: string;
  /** What it does, in a few words. */
  readonly description: string;
}

/** `completed`: what the task changed is kept. The others: nothing is. */
export type TaskStatus = 'completed' | 'failed' | 'stopped';

/** A task that runs, or has run. */
export interface TaskRun extends TaskSummary {
  readonly status: 'running' | TaskStatus;
  /** Absolute. See {@link StartedTask}. */
  readonly outputPath: string;
}

/** How a task has ended that was to be stopped. */
export interface StoppedTask extends TaskSummary {
  readonly status: TaskStatus;
  /** What it had changed by then stays: it is an agent's. Left out: it is dropped. */
  readonly keepsChanges?: true;
}

/** The tasks of one conversation, as far as tools may touch them. */
export interface BackgroundTasks {
  /**
   * Stops a task and waits until it has ended; what it changed is dropped. Not `stopped` where it
   * had come to its end by itself.
   *
   * @throws SdkError `bad-usage` for a task that doesn't run (any more), with those that do.
   */
  stop(taskId: string): Promise<StoppedTask>;
  /** @throws SdkError `bad-usage` for a task that never ran in this conversation, with those that did. */
  find(taskId: string): TaskRun;
  /**
   * Resolves when the task has ended, or the time is over. The call that waits counts meanwhile as one that
   * doesn't run: what the task has changed may be kept beside it.
   *
   * Rejects as {@link find} throws, and with `aborted`.
   */
  whenEnded(
    taskId: string,
    limits: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<void>;
}
