// One turn, as its steps and its calls share it. `loop.ts` makes it.
import type { SDKMessageOrigin, SDKPermissionDenial } from '../../core/messages/sdk-message.ts';
import type { TurnOutput } from '../../core/messages/output-format.ts';
import type { ContextModifier, Tool } from '../../core/tool/tool.ts';
import type { ToolUse } from '../messages/collect.ts';
import type { FallbackPlace } from '../turn/fallback.ts';
import type { Settled } from './settled.ts';

/** The limits of one turn, and the origin of its prompt. */
export interface TurnOptions {
  /** The most requests of the turn. Left out: no limit. */
  readonly maxTurns?: number;
  readonly includePartialMessages: boolean;
  /** The prompt's id. If the journal has a prompt with that id, it is used. Left out: a new id. */
  readonly promptId?: string | undefined;
  /** Set if the prompt isn't a user's, for example the report of a background task's end. */
  readonly origin?: SDKMessageOrigin;
  /** The prompt is never a command, even if it begins with a slash. */
  readonly client_composed?: true | undefined;
  /** See `tells` of the journal's PromptRecord. */
  readonly tells?: readonly string[] | undefined;
  /**
   * Stops the turn: running calls are stopped, waiting ones never run, and finished work is kept.
   */
  readonly signal: AbortSignal;
}

export interface Turn extends TurnOptions {
  stop(): void;
  /** The user has sent a prompt that should be answered soon: no further request is made. */
  isSuperseded: boolean;
  /** The number of consecutive replies that the output limit has cut. */
  cutReplies: number;
  /** The turn has compacted the conversation after an overflow. */
  hasCompacted: boolean;
  /** False after the model has failed to write a summary before a request of this turn. */
  mayCompact: boolean;
  /** Old results may be cleared; false after their texts couldn't be stored. */
  mayClear: boolean;
  /** Undefined: the session's own model is used. */
  fallback: FallbackPlace | undefined;
  /**
   * The result with which a call ends the turn: nobody could answer its question, or its tool ends
   * the turn.
   */
  handedOver: TurnOutput | undefined;
  /**
   * The first call of the newest reply that a hook has deferred. It has no result, and the turn
   * ends with it.
   */
  putOff: ToolUse | undefined;
  /** How many answers were missing or didn't match the query's `outputFormat`. */
  missedOutputs: number;
  /** The request after which the session's goal was checked last; 0: never. */
  goalCheckedAt: number;
  /** Consecutive checks between which the model has made no calls. */
  idleGoalChecks: number;
  readonly denials: SDKPermissionDenial[];
  /** The context modifiers of earlier calls, for later calls. */
  readonly contextModifiers: ContextModifier[];
}

/** A turn at its beginning. */
export function createTurn(options: TurnOptions, stop: () => void): Turn {
  return {
    ...options,
    stop,
    isSuperseded: false,
    cutReplies: 0,
    hasCompacted: false,
    mayCompact: true,
    mayClear: true,
    fallback: undefined,
    handedOver: undefined,
    putOff: undefined,
    missedOutputs: 0,
    goalCheckedAt: 0,
    idleGoalChecks: 0,
    denials: [],
    contextModifiers: [],
  };
}

/** The turn for calls that belong to no request. */
export function createCallTurn(signal: AbortSignal, stop: () => void): Turn {
  const turn = createTurn({ includePartialMessages: false, signal }, stop);
  return { ...turn, mayCompact: false, mayClear: false };
}

/** Adds a denied call to the turn's `result`. The denial may end the turn. */
export function noteDenial(turn: Turn, { toolUse, denial }: Settled): void {
  if (!denial) return;
  const { denials } = turn;
  if (denial.result !== undefined) turn.handedOver ??= { result: denial.result };
  denials.push({
    tool_name: toolUse.name,
    tool_use_id: toolUse.id,
    tool_input: toolUse.input as Record<string, unknown>,
  });
}

/** Records whether the call ends the turn. A tool whose function throws doesn't end it. */
export function noteTurnEnd(
  turn: Turn,
  { state, output }: Pick<Settled, 'state' | 'output'>,
  tool: Tool | undefined,
): void {
  if (state !== 'output-available') {
    if (tool?.forOutputFormat) turn.missedOutputs += 1;
    return;
  }
  try {
    const end = tool?.endTurn?.(output);
    turn.handedOver ??= typeof end === 'string' ? { result: end } : end;
  } catch {
    // The tool's function has thrown. The model continues, as after any other tool.
  }
}
