// One tool call, local or remote, as a view shows it to a person. Plain data, so that it can be sent to other realms.
import type { FileChange } from '../change-set.ts';
import type { TaskStatus } from './background.ts';
import type { McpAppReference } from '../mcp/mcp-app.ts';
import type { CallDecision } from '../permissions/permission.ts';

/**
 * The states in their order: the input arrives, the input is complete, a person is asked, the person has answered,
 * and one of four ends. A call without a question goes from `input-available` straight to an end. A call that waits
 * for others is `input-queued` until it starts.
 */
export type CallState =
  | 'input-streaming'
  | 'input-queued'
  | 'input-available'
  | 'approval-requested'
  | 'approval-responded'
  | 'output-available'
  | 'output-error'
  | 'output-denied'
  | 'output-stopped';

/**
 * Everything that a view needs to know of a call. The call entries of a transcript have this type.
 * Structured-cloneable.
 */
export interface ViewedCall<Input = unknown, Output = unknown> {
  readonly toolName: string;
  readonly state: CallState;
  /** The part of the input that has arrived. It is untrusted, like all text of the model. */
  readonly input: Input;
  /** The tool's output as data. */
  readonly output: Output;
  /** While a person is asked: what the call would change, if that is known. */
  readonly proposedChanges?: readonly FileChange[];
  /** The tool's progress payloads, oldest first. They aren't checked. */
  readonly progress: readonly unknown[];
  /** How many payloads were dropped from the front. */
  readonly droppedProgress: number;
  /** What the model got: the result, or why the call failed, was refused or was stopped. */
  readonly resultText: string;
  readonly elapsedSeconds: number;
  /** Why the call was allowed or refused. Left out until that is decided. */
  readonly decision?: CallDecision;
  /** For a refused call: the person's own words about what to do instead. */
  readonly denial?: string;
  /** The app that shows the call of an MCP server's tool. `toolUseId` names the call in the app's requests. */
  readonly app?: McpAppReference & { readonly toolUseId: string };
  /** Present if the call runs or ran in the background, or has started a sub-agent. */
  readonly task: {
    readonly status: 'running' | TaskStatus;
    /** The task's result; empty while it runs. */
    readonly summary: string;
    /** Whether the task's changes were kept at its end, and why. */
    readonly decision?: CallDecision;
    /**
     * Present for a call of Agent. A view shows the agent's progress below the call; the call's state doesn't show
     * it.
     */
    readonly agent?: { readonly type: string };
  } | null;
}
