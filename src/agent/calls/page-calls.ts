// The calls that a tool's own `call` makes by its context. Loaded by `run-work.ts` for the first one.
import { SdkError, toSerializedError } from '../../core/errors.ts';
import type { AssistantMessage } from '../../core/messages.ts';
import type { NestedCall, NestedReply } from '../../core/tool/nested-call.ts';
import type { AllowedCall } from './authorize.ts';
import { createNestedCalls } from './nested-calls.ts';
import { runNestedCall } from './run-nested-call.ts';
import type { Caller } from './run-nested-call.ts';
import type { CallScope } from './turn.ts';

// 8: tools that call each other have more than enough; one that calls itself without end is stopped.
const MAX_DEPTH = 8;

/** `outerCallId`: the cell that makes the call, where one does. */
export function createPageCaller(
  call: AllowedCall,
  parentMessage: AssistantMessage,
  scope: CallScope,
  outerCallId: string | undefined,
): Caller {
  const { session, pool, kit } = scope;
  // The model has seen nothing of what they read; what it has seen, they may change.
  const readFileState = new Map(session.readFileState.entries());
  const { workspace } = session.host;
  return {
    call,
    tools: [...pool.tools, ...pool.insideOnly],
    parentMessage,
    scope,
    // Security: a server's tool stays who asks, whichever of ours does it for it.
    origin: kit.toOrigin({
      ...call,
      requester: call.requester?.isMcp ? call.requester : call.tool,
    }),
    ...(outerCallId !== undefined && { outerCallId }),
    readFileState,
    createNestedCalls,
    findRefusal: (nested) => findRefusal(nested, call, outerCallId !== undefined),
    toPorts: () => ({ readFileState, workspace }),
    nestedCalls: 0,
  };
}

/** Runs one. Never rejects. */
export function runPageCallOf(
  caller: Caller,
  asked: NestedCall,
  signal: AbortSignal,
): Promise<NestedReply> {
  const { depth = 0 } = caller.scope;
  if (depth < MAX_DEPTH) return runNestedCall(asked, caller, signal);
  const message = `${asked.toolName} was not called: ${MAX_DEPTH} tools have called each other already.`;
  const error = toSerializedError(new SdkError('limit-exceeded', message));
  return Promise.resolve({ type: 'failed', callId: '', error });
}

function findRefusal(
  { tool, input, traits }: AllowedCall,
  caller: AllowedCall,
  isInCell: boolean,
): string | undefined {
  // A cell's changes are one draft, and what a tool changes for it beside that could not be taken back.
  if (isInCell && !traits.isReadOnly) {
    return `${tool.name} was not called: ${caller.tool.name} was called by a cell, and may then have others read only. Let the cell call ${tool.name} itself.`;
  }
  if (tool.background?.isAskedFor(input) !== true) return undefined;
  return `${tool.name} was not called: ${caller.tool.name} waits for what it gives, so it can't go on in the background.`;
}
