// One turn, as its steps and its calls share it. `loop.ts` makes it.
import type { SDKMessage, SDKPermissionDenial } from '../../core/sdk-message.ts';
import type { ContextModifier } from '../../core/tool/tool.ts';
import type { Session } from '../session/session.ts';
import type { Settled } from './settled.ts';
import { toDeniedMessage, toToolResultMessage } from '../messages/to-sdk-message.ts';

/** One turn's bounds, and where its messages go. */
export interface TurnOptions {
  /** Requests that the turn may take. Left out: as many as it needs. */
  readonly maxTurns?: number;
  readonly includePartialMessages: boolean;
  /** The prompt is no user's: it tells the model how a background task has ended. */
  readonly isTaskNews?: true;
  /** Gets every message of the turn but its `result`, in order. Must not throw. */
  readonly emit: (message: SDKMessage) => void;
  /** Stops the turn: what runs is cut, what waits never runs, what was done stays. */
  readonly signal: AbortSignal;
}

export interface Turn extends TurnOptions {
  stop(): void;
  /** The user has said something new and doesn't want to wait: no further request. */
  isSuperseded: boolean;
  readonly denials: SDKPermissionDenial[];
  /** What its calls have left for those that begin after them. */
  readonly contextModifiers: ContextModifier[];
}

/** Tells how a call ended, its refusal first. `parentId`: of the call that made it. */
export function reportCall(
  session: Session,
  turn: Turn,
  settled: Settled,
  parentId: string | null,
): void {
  const { toolUse, denial } = settled;
  if (denial) {
    turn.denials.push({
      tool_name: toolUse.name,
      tool_use_id: toolUse.id,
      tool_input: toolUse.input as Record<string, unknown>,
    });
    turn.emit(toDeniedMessage(session.id, toolUse, denial));
  }
  turn.emit(toToolResultMessage(session.id, settled, parentId));
}
