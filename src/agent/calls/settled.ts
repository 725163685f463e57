// Where every call ends: there is exactly one Settled for each tool use that was started. Stations 3, 4
// and 10 make them; loop.ts makes the next request of them.
import { toFailureContent } from '../../core/messages/blocks.ts';
import type { ToolResultBlock } from '../../core/messages/blocks.ts';
import type { CallState } from '../../core/tool/call-state.ts';
import type { Version } from '../../core/change-set.ts';
import type { MessageParam } from '../../core/messages/messages.ts';
import type { CallDecision, DecisionReason } from '../../core/permissions/permission.ts';
import type { StateChange } from '../../core/session/state-change.ts';
import type { McpMeta } from '../../core/tool/tool.ts';
import type { KeptChange } from '../../trace/trace.ts';
import type { ToolUse } from '../messages/collect.ts';
import type { Preview } from './spill-text.ts';

/** The call's end as data, for the conversation (`result`) and for views (`state`, `output`). */
export interface Settled {
  readonly stage: 'settled';
  readonly toolUse: ToolUse;
  readonly state: Extract<CallState, 'output-available' | 'output-error' | 'output-denied'>;
  readonly result: ToolResultBlock;
  /** What the tool returned as data; absent when it never finished. */
  readonly output?: unknown;
  readonly newMessages?: readonly MessageParam[];
  readonly mcpMeta?: McpMeta;
  /** The result was too long, and shows this of it. */
  readonly preview?: Preview;
  /** Present exactly when `state` is `output-denied`. */
  readonly denial?: Denial;
  /** The state that its tool saved for the session, if that was kept. */
  readonly saved?: StateChange;
  /** The call was cut, or never ran. */
  readonly isStopped?: true;
  /** Its changes, if they were kept. */
  readonly kept?: readonly KeptChange[] | undefined;
  /** The call ran, and its effects may stay even if its message turns out to be void. */
  readonly hasActed?: true;
  /** The files that it read. */
  readonly reads?: readonly ReadVersion[];
  /** The permission decision; absent if there was none. */
  readonly decision?: CallDecision;
  /** A hook put the call off: it hasn't run, and the turn ends with it. */
  readonly isDeferred?: true;
}

/** The version of a file that a call read, and the one that was known before; undefined: none. */
export interface ReadVersion {
  readonly path: string;
  readonly version: Version;
  readonly before: Version | undefined;
}

/** A refusal, by a rule, a mode, the tool itself or a person. */
export interface Denial {
  readonly reason: DecisionReason;
  /** What the model is told. */
  readonly message: string;
  /** A person's refusal may stop the whole turn. */
  readonly interrupt: boolean;
  /** The turn ends when the calls beside it have settled, and this is its result. */
  readonly result?: string;
}

/** A call that failed, at whatever station. `message` goes to the model: it says what to do. */
export function settleWithError(toolUse: ToolUse, message: string, output?: unknown): Settled {
  return {
    stage: 'settled',
    toolUse,
    state: 'output-error',
    result: errorBlock(toolUse, message),
    ...(output !== undefined && { output }),
  };
}

/** A call that was refused, or whose changes were. */
export function settleWithDenial(toolUse: ToolUse, denial: Denial, output?: unknown): Settled {
  return {
    stage: 'settled',
    toolUse,
    state: 'output-denied',
    result: errorBlock(toolUse, denial.message),
    denial,
    ...(output !== undefined && { output }),
  };
}

/**
 * A call that was cut. `reason` is the abort's, a text if there is more to say than that the turn ended.
 * `mayHaveActed`: it may have had effects outside its draft, which is dropped.
 */
export function settleStopped(toolUse: ToolUse, reason?: unknown, mayHaveActed = false): Settled {
  const why = typeof reason === 'string' ? reason : 'before it was finished';
  const rest = mayHaveActed
    ? 'What it had done by then stays: look at how things stand.'
    : 'Nothing that it did was kept.';
  const message = `${toolUse.name} was stopped ${why}. ${rest}`;
  return { ...settleWithError(toolUse, message), isStopped: true };
}

/** A call whose turn never came. `signal` is its own; it isn't aborted if the call was skipped. */
export function settleUnstarted(toolUse: ToolUse, { aborted, reason }: AbortSignal): Settled {
  const ended = aborted
    ? 'because the turn was stopped'
    : 'because a call before it was refused or cut, or the user spoke';
  const message = `${toolUse.name} was never started, ${typeof reason === 'string' ? reason : ended}.`;
  return { ...settleWithError(toolUse, message), isStopped: true };
}

function errorBlock({ id }: ToolUse, message: string): ToolResultBlock {
  const content = toFailureContent(message);
  return { type: 'tool_result', tool_use_id: id, content, is_error: true };
}
