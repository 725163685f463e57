// The end of every call: exactly one Settled for each started tool use. Stages 3, 4 and 10 create
// them; loop.ts builds the next request from them.
import { toFailureContent } from '../../core/messages/blocks.ts';
import type { ToolResultBlock } from '../../core/messages/blocks.ts';
import type { Denial } from '../../core/session/journal.ts';
import type { CallState } from '../../core/tool/call-state.ts';
import type { Version } from '../../core/change-set.ts';
import type { MessageParam } from '../../core/messages/messages.ts';
import type { CallDecision } from '../../core/permissions/permission.ts';
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
  /** The output of the tool as data; left out if it never finished. */
  readonly output?: unknown;
  readonly newMessages?: readonly MessageParam[];
  readonly mcpMeta?: McpMeta;
  /** Set if the result was too long: the part that it shows. */
  readonly preview?: Preview;
  /** Present exactly when `state` is `output-denied`. */
  readonly denial?: Denial;
  /** The state that its tool has saved for the session, if it was kept. */
  readonly saved?: StateChange;
  /** The call was stopped, or never ran. */
  readonly isStopped?: true;
  /** Its changes, if they were committed. */
  readonly kept?: readonly KeptChange[] | undefined;
  /** The call ran, and its effects may remain even if its message is void. */
  readonly hasActed?: true;
  /** The files that it read. */
  readonly reads?: readonly ReadVersion[];
  /** The permission decision; left out if there was none. */
  readonly decision?: CallDecision;
  /** A hook has deferred the call: it hasn't run, and the turn ends with it. */
  readonly isDeferred?: true;
}

/** The version of a file that a call has read, and the version known before; undefined: none. */
export interface ReadVersion {
  readonly path: string;
  readonly version: Version;
  readonly before: Version | undefined;
}

/** A failed call, at any stage. `message` tells the model what to do. */
export function settleWithError(toolUse: ToolUse, message: string, output?: unknown): Settled {
  return {
    stage: 'settled',
    toolUse,
    state: 'output-error',
    result: errorBlock(toolUse, message),
    ...(output !== undefined && { output }),
  };
}

/** A call that was denied, or whose changes were denied. */
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
 * A stopped call. `reason` is the abort's; it is a text if there is more to report than the end of
 * the turn. `mayHaveActed`: it may have had effects outside its draft, which is dropped.
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
