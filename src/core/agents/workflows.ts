// What the tool Workflow may ask of its session. agent/workflows/ keeps the promises.
import type { CanUseTool } from '../permissions/permission.ts';

/** The name of the sandbox of workflows' scripts among a tool worker's handlers. It is no tool. */
export const workflowWorkName = 'rockpool:workflow';

// 100 000: some 2 000 lines, more than anybody reads before saying yes.
export const maxScriptChars = 100_000;

/** The location of a script: a name below `.claude/workflows`, or a path. */
export type WorkflowPlace = { readonly name: string } | { readonly path: string };

/** A script of the workspace. */
export interface FoundWorkflow {
  /** Absolute. */
  readonly path: string;
  readonly script: string;
  /** A person has said yes to exactly this text when the session began. */
  readonly isTrusted: boolean;
}

/** What an earlier run was. */
export interface RecalledWorkflow extends Pick<WorkflowRequest, 'script' | 'args' | 'path'> {
  /** As {@link FoundWorkflow.isTrusted}; false if the call contained the script. */
  readonly isTrusted: boolean;
}

/** One agent that a script asked for, as it crosses from the sandbox. Each field was checked there and is again. */
export interface ScriptAgent {
  readonly prompt: string;
  readonly label?: string;
  readonly phase?: string;
  readonly schema?: Readonly<Record<string, unknown>>;
  readonly model?: 'sonnet' | 'opus' | 'haiku' | 'fable';
  readonly agentType?: string;
  readonly isolation?: 'worktree';
}

/** The end of an agent that came to a result, as a later run may be given it again. */
export interface RecordedAgent {
  /** Which of the run's calls of `agent()` it was, from 0. */
  readonly position: number;
  /** A fingerprint of the request. */
  readonly fingerprint: string;
  readonly result: unknown;
}

/** What the sandbox is given. */
export interface ScriptWork {
  readonly script: string;
  readonly args?: unknown;
  /** The results of an earlier run's agents, in the order of their ends. */
  readonly recorded: readonly RecordedAgent[];
}

/** The progress of a run, for people. */
export type WorkflowProgress =
  | { readonly type: 'phase' | 'log'; readonly text: string }
  | {
      readonly type: 'agent';
      readonly position: number;
      readonly label: string;
      readonly phase?: string;
      /**
       * `replayed`: an earlier run's result was taken. `ended`: there is no result, and the script
       * was given null.
       */
      readonly state: 'running' | 'completed' | 'ended' | 'refused' | 'replayed';
    };

/** The script and its input. */
export interface WorkflowRequest {
  readonly script: string;
  readonly args?: unknown;
  /** The script's path in the workspace; undefined: the call contained it. */
  readonly path?: string | undefined;
  /** An earlier run of the session, whose results are taken as long as the script asks for the same. */
  readonly resumeFromRunId?: string | undefined;
}

/** The result of a run. */
export interface WorkflowReport {
  /** What the script returned, as data. */
  readonly result: unknown;
  readonly agentCount: number;
  /** How many of `agentCount` took their result from an earlier run. */
  readonly replayedCount: number;
  readonly totalTokens: number;
}

/** A run that can be started. */
export interface PreparedWorkflow {
  readonly runId: string;
  /**
   * Runs it to its end, once. Aborting `signal` ends its agents.
   *
   * Rejects with an SdkError: `tool-failed` for what the script threw, `limit-exceeded`, `aborted`, `worker-lost`.
   */
  run(
    signal: AbortSignal,
    onProgress: (progress: WorkflowProgress) => void,
  ): Promise<WorkflowReport>;
}

/** The workflows of one session. */
export interface Workflows {
  /**
   * Finds the script. For one call it is read once, so that the text in the question is the text
   * that runs.
   *
   * Rejects with an SdkError: `bad-usage` if there is no readable script; the message lists the
   * known names.
   */
  find(place: WorkflowPlace, callId: string): Promise<FoundWorkflow>;
  /** Undefined: the session has recorded no such run. */
  recall(runId: string): Promise<RecalledWorkflow | undefined>;
  /**
   * Records the run, and gives it. `canUseTool` is the call's own: each agent is judged by it as a call of Agent.
   *
   * Rejects with `bad-usage` for an earlier run that isn't recorded.
   */
  prepare(
    request: WorkflowRequest,
    call: { readonly toolUseID: string; readonly canUseTool: CanUseTool },
  ): Promise<PreparedWorkflow>;
}
