// Who makes a call, and what follows from it: which tools it may call, and how it is answered.
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

/** A call that another call makes. It runs within that call's turn, and has no slot of its own. */
export type NestedOrigin = InnerOrigin | AppOrigin;

/** One that is made while the other call runs. */
export type InnerOrigin = CodeOrigin | ToolOrigin;

/** A block of the model's message. */
export interface ModelOrigin {
  readonly type: 'model';
  /** Its place in the schedule. */
  readonly slot: CallSlot;
  /** The message as far as it has come: the parent that a tool's `call` is told of. */
  readonly partial: () => AssistantMessage | undefined;
  /** The user has said something new while it runs. */
  readonly hearPrompt: () => void;
}

interface OuterCall {
  readonly outer: AllowedCall;
  readonly parentMessage: AssistantMessage;
  /** What the outer call may call. */
  readonly tools: KnownTools;
  /** How many calls are above this one. */
  readonly depth: number;
  /** This call, or one that it makes, could reach the network and is about to run. */
  readonly onOutside: () => void;
}

/** Code that the outer call runs, such as a cell. It works on the outer call's draft. */
export interface CodeOrigin extends OuterCall {
  readonly type: 'code';
  readonly approvals: NestedApprovals;
}

/** The own `call` of a tool. What it changes is committed at once. */
export interface ToolOrigin extends OuterCall {
  readonly type: 'tool';
  /** The call whose draft the outer call works on, where it was called by code. */
  readonly draftId: string | undefined;
  /** What its calls are taken to have read. */
  readonly readFileState: ReadFileState;
}

/**
 * The app that shows a call of a server's tool, which may have ended long ago; or the browser's agent, to which tools
 * were offered.
 */
export interface AppOrigin extends Omit<OuterCall, 'outer'> {
  readonly type: 'app';
  readonly outer: AskingCall;
  /** As a tool's. */
  readonly readFileState: ReadFileState;
  /** Asked once the call is allowed: why it can't be made now, for whoever makes it. */
  readonly refuse?: (call: AllowedCall) => string | undefined;
}

/** As much of a call as it takes to answer for others. */
export type AskingCall = Pick<AllowedCall, 'toolUse' | 'tool' | 'caller' | 'requester'>;

/** A call of the model that has passed stations 3 to 5 and now runs beside the conversation. */
export interface TaskOrigin {
  readonly type: 'background';
  readonly call: AllowedCall;
  readonly task: RunningTask;
  /** Where the call has begun in the conversation: what is left of it. */
  readonly rest?: RestOfCall;
  readonly parentMessage: AssistantMessage;
  /** Called when its work is done and only its changes are left. */
  readonly onComputed: () => void;
}

/** Is it made by another call? */
export function isNested(origin: CallOrigin): origin is NestedOrigin {
  return origin.type === 'code' || origin.type === 'tool' || origin.type === 'app';
}

/** Whoever had the code run, or the tool called, answers for the call. The model's own have nobody above. */
export function toCallingTools(origin: ModelOrigin | NestedOrigin): CallingTools {
  if (origin.type === 'model') return {};
  const { outer } = origin;
  return origin.type === 'code'
    ? { ...pickCallingTools(outer), caller: outer.tool }
    : toToolsOf(outer);
}

/** Those that answer for what the tool of this call has done by other tools. */
export function toToolsOf(asking: AskingCall): CallingTools {
  // Security: a server's tool stays who asks, whichever of ours does it for it.
  const requester = asking.requester?.isMcp ? asking.requester : asking.tool;
  return { ...pickCallingTools(asking), requester };
}

/** The call whose draft this one works on, where it isn't its own. */
export function findDraftId(origin: CallOrigin): string | undefined {
  if (origin.type === 'code') return origin.outer.toolUse.id;
  return origin.type === 'tool' ? origin.draftId : undefined;
}

/** The id of the call that made it. A task's work stands below the call that started it. */
export function toParentId({ id }: ToolUse, origin: CallOrigin): string | undefined {
  if (origin.type === 'background') return id;
  return isNested(origin) ? origin.outer.toolUse.id : undefined;
}

/** How many calls are above this one. */
export function depthOf(origin: CallOrigin): number {
  return isNested(origin) ? origin.depth : 0;
}

/**
 * What the call's own code may call. Security: nothing where the call was let through because it
 * only reads, and no tool that would again run code.
 */
export function findCodeTools(call: AllowedCall, pool: Pool): KnownTools {
  if (!mayCallTools(call)) return [];
  return findToolsForCode(pool).filter((candidate) => !candidate.callsTools);
}

/** May the call's code call tools, where there are any, or have git go to a server? */
export function mayCallTools({ tool, traits }: AllowedCall): boolean {
  return tool.callsTools === true && !traits.isReadOnly;
}

/** Also what only code may call: a tool is code. */
export function findToolsForCode({ tools, insideOnly }: Pool): KnownTools {
  return [...tools, ...insideOnly];
}

/** Why a call that is allowed can't be made from there all the same, for the model. */
export function findRefusal(
  call: AllowedCall,
  origin: ModelOrigin | NestedOrigin,
): string | undefined {
  const { tool, input, traits } = call;
  if (origin.type === 'app') return origin.refuse?.(call);
  if (origin.type !== 'tool') return undefined;
  const caller = origin.outer.tool.name;
  // A cell's changes are one draft, and what a tool changes for it beside that could not be taken back.
  if (origin.draftId !== undefined && !traits.isReadOnly) {
    return `${tool.name} was not called: ${caller} was called by a cell, and may then have others read only. Let the cell call ${tool.name} itself.`;
  }
  if (tool.background?.isAskedFor(input) !== true) return undefined;
  return `${tool.name} was not called: ${caller} waits for what it gives, so it can't go on in the background.`;
}

/** How a nested call's end reaches the code that made it. `outcome` is undefined for a call that never ran. */
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

// 8: tools that call each other have more than enough; one that calls itself without end is stopped.
const MAX_DEPTH = 8;

/** For a call that is one too many. It is neither judged nor told of. */
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
  // Security: the sandbox counts them, too, but a worker's word is not enough.
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
