// One turn, as its steps and its calls share it. `loop.ts` makes it.
import type { SDKPermissionDenial, SDKUserMessage } from '../../core/messages/sdk-message.ts';
import type { TurnOutput } from '../../core/messages/output-format.ts';
import type { ContextModifier, Tool } from '../../core/tool/tool.ts';
import type { ToolUse } from '../messages/collect.ts';
import type { FallbackPlace } from '../turn/fallback.ts';
import type { Settled } from './settled.ts';

/** One turn's bounds, and where its prompt comes from. */
export interface TurnOptions {
  /** Requests that the turn may take. Left out: as many as it needs. */
  readonly maxTurns?: number;
  readonly includePartialMessages: boolean;
  /** The prompt's id. Where the journal has a prompt of that id, it is taken up. Left out: a new one. */
  readonly promptId?: string | undefined;
  /** Set if the prompt isn't a user's, for example the report of a background task's end. */
  readonly origin?: SDKUserMessage['origin'];
  /** The prompt is no command, whatever it begins with. */
  readonly client_composed?: true | undefined;
  /** See `tells` of the journal's PromptRecord. */
  readonly tells?: readonly string[] | undefined;
  /** Stops the turn: what runs is cut, what waits never runs, what was done stays. */
  readonly signal: AbortSignal;
}

export interface Turn extends TurnOptions {
  stop(): void;
  /** The user has said something new and doesn't want to wait: no further request. */
  isSuperseded: boolean;
  /** Replies in a row that the output limit has cut. */
  cutReplies: number;
  /** The turn has compacted the conversation after an overflow. */
  hasCompacted: boolean;
  /** False after the model failed to write a summary before a request of this turn. */
  mayCompact: boolean;
  /** Old results may be cleared; false after their texts couldn't be kept. */
  mayClear: boolean;
  /** Undefined: the session's own model is asked. */
  fallback: FallbackPlace | undefined;
  /** The result with which a call ends the turn: one that nobody could answer, or whose tool says so. */
  handedOver: TurnOutput | undefined;
  /** The first call of the newest reply that a hook has put off. It has no result, and the turn ends with it. */
  putOff: ToolUse | undefined;
  /** How many answers weren't in the query's `outputFormat`, or were missing. */
  missedOutputs: number;
  /** The request behind which the session's goal was checked last; 0: it wasn't. */
  goalCheckedAt: number;
  /** Checks in a row between which the model has called nothing. */
  idleGoalChecks: number;
  readonly denials: SDKPermissionDenial[];
  /** The context modifiers of its calls, for the calls that begin later. */
  readonly contextModifiers: ContextModifier[];
}

/** The turn of calls that belong to no request. */
export function createCallTurn(signal: AbortSignal, stop: () => void): Turn {
  return {
    includePartialMessages: false,
    signal,
    stop,
    isSuperseded: false,
    cutReplies: 0,
    hasCompacted: false,
    mayCompact: false,
    mayClear: false,
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

/** A refused call is named in the turn's `result`, and may be its end. */
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

/** Notes whether the call ends the turn, as its tool says. A tool that fails to say doesn't end it. */
export function noteEnd(
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
    // The tool failed to say. The model goes on, as with any other tool.
  }
}
