// Who makes a call, and the consequences: which tools it may call, and how it is answered.
// `run-call.ts` runs the calls of every origin.
import { toResultText } from '../../core/messages/blocks.ts';
import { SdkError, toSerializedError } from '../../core/errors.ts';
import type { ErrorCode } from '../../core/errors.ts';
import type { AssistantMessage } from '../../core/messages/messages.ts';
import type { RestOfCall } from '../../core/tool/background.ts';
import type { ReadFileState } from '../../core/tool/context.ts';
import { maxNestedCalls } from '../../core/tool/nested-call.ts';
import type { NestedReply } from '../../core/tool/nested-call.ts';
import type { KnownTools } from '../../core/tool/listed-tool.ts';
import type { RunningTask } from '../background/tasks.ts';
import type { ToolUse } from '../messages/collect.ts';
import type { Pool } from '../registry/prepare-pool.ts';
import type { AllowedCall } from './authorize.ts';
import type { CallSlot } from './call-slots.ts';
import type { NestedApprovals } from './change-target.ts';
import type { DispatchOutcome } from './dispatch-outcome.ts';
import type { Settled } from './settled.ts';
import { pickCallingTools } from './validate.ts';
import type { CallingTools } from './validate.ts';

/** Where a call comes from. */
export type CallOrigin = ModelOrigin | NestedOrigin | TaskOrigin;

/** A call that another call makes. It runs within that call's turn and has no slot of its own. */
export type NestedOrigin = InnerOrigin | AppOrigin;

/** A nested call that is made while the other call runs. */
export type InnerOrigin = CodeOrigin | ToolOrigin;

/** A block of the model's message. */
export interface ModelOrigin {
  readonly type: 'model';
  /** Its place in the schedule. */
  readonly slot: CallSlot;
  /** The message as far as it has arrived, which a tool's `call` gets as its parent. */
  readonly partial: () => AssistantMessage | undefined;
  /** Called if the user has sent a prompt while the call runs. */
  readonly hearPrompt: () => void;
}

interface OuterCall {
  readonly outer: AllowedCall;
  readonly parentMessage: AssistantMessage;
  /** The tools that the outer call may call. */
  readonly tools: KnownTools;
  /** The number of calls above this one. */
  readonly depth: number;
  /** Called before this call, or a call that it makes, runs and may reach the network. */
  readonly onOutside: () => void;
}

/** Code that the outer call runs, such as a cell. It works on the outer call's draft. */
export interface CodeOrigin extends OuterCall {
  readonly type: 'code';
  readonly approvals: NestedApprovals;
}

/** A tool's own `call`. Changes of its calls are committed at once. */
export interface ToolOrigin extends OuterCall {
  readonly type: 'tool';
  /** The call whose draft the outer call uses, if code has made the outer call. */
  readonly draftId: string | undefined;
  /** The files that count as read for its calls. */
  readonly readFileState: ReadFileState;
}

/**
 * An app that shows a call of a server's tool, which may have ended long ago. Or the browser's
 * agent, to which tools were offered.
 */
export interface AppOrigin extends Omit<OuterCall, 'outer'> {
  readonly type: 'app';
  readonly outer: AskingCall;
  /** The files that count as read for its calls. */
  readonly readFileState: ReadFileState;
  /** Called after the call was allowed. Returns the reason if it can't be made now. */
  readonly refuse?: (call: AllowedCall) => string | undefined;
}

/** The fields of a call that tell who is responsible for the calls that it makes. */
export type AskingCall = Pick<AllowedCall, 'toolUse' | 'tool' | 'caller' | 'requester'>;

/** A call of the model that has passed stages 3 to 5 and now runs in the background. */
export interface TaskOrigin {
  readonly type: 'background';
  readonly call: AllowedCall;
  readonly task: RunningTask;
  /** The rest of the call, if it began in the conversation. */
  readonly rest?: RestOfCall;
  readonly parentMessage: AssistantMessage;
  /** Called when its work is done and only its changes have to be committed. */
  readonly onComputed: () => void;
}

/** True if another call has made the call. */
export function isNested(origin: CallOrigin): origin is NestedOrigin {
  return origin.type === 'code' || origin.type === 'tool' || origin.type === 'app';
}

/** The tools that are responsible for a call: its code's or its requester's. A call of the model has none. */
export function toCallingTools(origin: ModelOrigin | NestedOrigin): CallingTools {
  if (origin.type === 'model') return {};
  const { outer } = origin;
  return origin.type === 'code'
    ? { ...pickCallingTools(outer), caller: outer.tool }
    : toToolsOf(outer);
}

/** The tools that are responsible for calls that the tool of this call requests. */
export function toToolsOf(asking: AskingCall): CallingTools {
  // Security: a server's tool stays the requester, even if a built-in tool acts for it.
  const requester = asking.requester?.isMcp ? asking.requester : asking.tool;
  return { ...pickCallingTools(asking), requester };
}

/** The id of the call whose draft this call works on; undefined if it has its own. */
export function findDraftId(origin: CallOrigin): string | undefined {
  if (origin.type === 'code') return origin.outer.toolUse.id;
  return origin.type === 'tool' ? origin.draftId : undefined;
}

/**
 * The id of the call that has made this one. A task's work belongs to the call that has started it.
 */
export function toParentId({ id }: ToolUse, origin: CallOrigin): string | undefined {
  if (origin.type === 'background') return id;
  return isNested(origin) ? origin.outer.toolUse.id : undefined;
}

/** The number of calls above this one. */
export function depthOf(origin: CallOrigin): number {
  return isNested(origin) ? origin.depth : 0;
}

/**
 * The tools that the call's code may call. Security: none if the call was allowed because it only
 * reads, and none that runs code itself.
 */
export function findCodeTools(call: AllowedCall, pool: Pool): KnownTools {
  if (!mayCallTools(call)) return [];
  return findToolsForCode(pool).filter((candidate) => !candidate.callsTools);
}

/** True if the call's code may call tools, or have git contact a server. */
export function mayCallTools({ tool, traits }: AllowedCall): boolean {
  return tool.callsTools === true && !traits.isReadOnly;
}

/** Includes the tools that only code may call, because a tool is code. */
export function findToolsForCode({ tools, insideOnly }: Pool): KnownTools {
  return [...tools, ...insideOnly];
}

/**
 * Returns the reason, for the model, why an allowed call can't be made from this origin; undefined
 * if it can.
 */
export function findRefusal(
  call: AllowedCall,
  origin: ModelOrigin | NestedOrigin,
): string | undefined {
  const { tool, input, traits } = call;
  if (origin.type === 'app') return origin.refuse?.(call);
  if (origin.type !== 'tool') return undefined;
  const caller = origin.outer.tool.name;
  // A cell's changes are one draft. Changes that a tool commits separately couldn't be reverted
  // with the cell.
  if (origin.draftId !== undefined && !traits.isReadOnly) {
    return `${tool.name} was not called: ${caller} was called by a cell, and may then have others read only. Let the cell call ${tool.name} itself.`;
  }
  if (tool.background?.isAskedFor(input) !== true) return undefined;
  return `${tool.name} was not called: ${caller} waits for what it gives, so it can't go on in the background.`;
}

/**
 * The reply to the code that has made the nested call. `outcome` is undefined if the call never
 * ran.
 */
export function toNestedReply(settled: Settled, outcome: DispatchOutcome | undefined): NestedReply {
  const { toolUse, denial, state, output, result } = settled;
  const callId = toolUse.id;
  if (state === 'output-available') return { type: 'done', callId, output };
  const error = denial
    ? new SdkError('permission-denied', denial.message)
    : new SdkError(toErrorCode(outcome), toResultText(result));
  return { type: 'failed', callId, error: toSerializedError(error) };
}

function toErrorCode(outcome: DispatchOutcome | undefined): ErrorCode {
  if (!outcome) return 'invalid-input';
  if (outcome.type === 'failed') return outcome.error.code;
  return outcome.type === 'aborted' ? 'aborted' : 'tool-failed';
}

// 8: more than tools that call each other need. It stops a tool that calls itself endlessly.
const MAX_DEPTH = 8;

/**
 * Returns the reply to a call beyond the limits; undefined within them. Such a call is neither
 * judged nor recorded.
 */
export function findLimit(
  callId: string,
  toolName: string,
  { made, depth, isTool }: { made: number; depth: number; isTool: boolean },
): NestedReply | undefined {
  if (isTool && depth >= MAX_DEPTH) {
    return toLimitReply(
      '',
      `${toolName} was not called: ${MAX_DEPTH} tools have called each other already.`,
    );
  }
  // Security: the sandbox counts them too, but the count of a worker isn't trusted.
  if (made < maxNestedCalls) return undefined;
  return toLimitReply(
    callId,
    `The code of one call may call tools ${maxNestedCalls} times, and this one has.`,
  );
}

function toLimitReply(callId: string, message: string): NestedReply {
  const error = new SdkError('limit-exceeded', message);
  return { type: 'failed', callId, error: toSerializedError(error) };
}
