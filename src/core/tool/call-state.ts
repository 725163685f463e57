// One tool call as a person sees it, local or remote: what every view renders. Plain data, so that it
// can be sent.
import type { FileChange } from '../change-set.ts';
import type { TaskStatus } from './background.ts';
import type { McpAppReference } from '../mcp/mcp-app.ts';
import type { CallDecision } from '../permissions/permission.ts';

/**
 * In order: its input arrives; it is complete; a person is asked; has answered; and one of four
 * ends. A call that needs no question goes from `input-available` straight to an end. One that
 * waits for others is `input-queued` until it starts.
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

/** All that a view needs of a call. The transcript's entries are such. Structured-cloneable. */
export interface ViewedCall<Input = unknown, Output = unknown> {
  readonly toolName: string;
  readonly state: CallState;
  /** The input as far as it has arrived; untrusted, as all text of the model. */
  readonly input: Input;
  /** The tool's output as data. */
  readonly output: Output;
  /** While a person is asked: what the call would change, where that is known. */
  readonly proposedChanges?: readonly FileChange[];
  /** The tool's own payloads, oldest first, unchecked. */
  readonly progress: readonly unknown[];
  /** How many payloads were dropped from the front. */
  readonly droppedProgress: number;
  /** What the model was told: the result, or why it failed, was refused or was stopped. */
  readonly resultText: string;
  readonly elapsedSeconds: number;
  /** Why it might run, or not; left out while that isn't known. */
  readonly decision?: CallDecision;
  /** For a refused call: what the person who said no asked for instead, in their own words. */
  readonly denial?: string;
  /** The app that shows the call of an MCP server's tool. `toolUseId` names the call in the app's requests. */
  readonly app?: McpAppReference & { readonly toolUseId: string };
  /** Where it runs, or ran, in the background, or has begun a sub-agent. */
  readonly task: {
    readonly status: 'running' | TaskStatus;
    /** Its result; empty while it runs. */
    readonly summary: string;
    /** Whether its changes were kept at its end, and why. */
    readonly decision?: CallDecision;
    /** For a call of Agent. The agent's progress is shown below the call, not by its state. */
    readonly agent?: { readonly type: string };
  } | null;
}
