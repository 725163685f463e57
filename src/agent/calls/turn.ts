// One turn, as its steps and its calls share it. `loop.ts` makes it.
import type { SDKPermissionDenial, SDKUserMessage } from '../../core/messages/sdk-message.ts';
import type { TurnOutput } from '../../core/messages/output-format.ts';
import type { ContextModifier, Tool } from '../../core/tool/tool.ts';
import type { FallbackPlace } from '../turn/fallback.ts';
import type { Settled } from './settled.ts';

/** One turn's bounds, and where its prompt comes from. */
export interface TurnOptions {
  /** Requests that the turn may take. Left out: as many as it needs. */
  readonly maxTurns?: number;
  readonly includePartialMessages: boolean;
  /** The prompt's id. Where the journal has a prompt of that id, it is taken up. Left out: a new one. */
  readonly promptId?: string | undefined;
  /** The prompt is no user's: it tells the model how a background task has ended. */
  readonly origin?: SDKUserMessage['origin'];
  /** As of the journal's prompt. */
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
  /** After an overflow. */
  hasCompacted: boolean;
  /** The model has not failed to write a summary before a request of the turn. */
  mayCompact: boolean;
  /** Old results may be cleared: their texts can be kept. */
  mayClear: boolean;
  /** Undefined: the session's own model is asked. */
  fallback: FallbackPlace | undefined;
  /** A call that nobody could answer for, or whose tool says so, ends the turn with this result. Undefined: none does. */
  handedOver: TurnOutput | undefined;
  /** Answers that weren't in the query's `outputFormat`, and ends without one. */
  missedOutputs: number;
  readonly denials: SDKPermissionDenial[];
  /** What its calls have left for those that begin after them. */
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
    missedOutputs: 0,
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

/** A call that has done its work may be the turn's end. A tool that fails at saying so isn't. */
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
    // Its own mistake: the model goes on, as with any other tool.
  }
}
