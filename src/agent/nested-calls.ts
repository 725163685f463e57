// What the code of a call may call, and the way there. `loop.ts` loads it for the first call of a tool
// that runs code.
import type { AssistantMessage } from '../core/messages.ts';
import type { Tools } from '../core/tool.ts';
import type { AllowedCall } from './authorize.ts';
import type { CallKit } from './call-kit.ts';
import type { DispatchOptions } from './dispatch.ts';
import { createNestedApprovals } from './nested-approvals.ts';
import type { NestedApprovals } from './nested-approvals.ts';
import type { Pool } from './registry/prepare-pool.ts';
import { runNestedCall } from './run-nested-call.ts';
import type { CallScope } from './turn.ts';

/** A call whose code calls tools. */
export interface Caller {
  readonly call: AllowedCall;
  readonly tools: Tools;
  readonly approvals: NestedApprovals;
  readonly parentMessage: AssistantMessage;
  readonly scope: CallScope;
  readonly kit: CallKit;
  /** How many its code has made. */
  nestedCalls: number;
}

/** What station 6 is told of them, and what they were allowed to leave behind. */
export interface NestedCallsOfOne extends Pick<DispatchOptions, 'nested'> {
  readonly approvals: NestedApprovals;
}

/** For one call, which has made none yet. */
export function createNestedCalls(
  call: AllowedCall,
  parentMessage: AssistantMessage,
  scope: CallScope,
  kit: CallKit,
): NestedCallsOfOne {
  const tools = findCallableTools(call, scope.pool);
  const approvals = createNestedApprovals(kit.getCallPath);
  if (tools.length === 0) return { approvals };
  const caller: Caller = { call, tools, approvals, parentMessage, scope, kit, nestedCalls: 0 };
  return {
    approvals,
    nested: {
      tools: tools.map(({ name }) => name),
      run: (asked, signal) => runNestedCall(asked, caller, signal),
    },
  };
}

/**
 * What the call's own code may call. Security: nothing where the call was let through because it
 * only reads, and no tool that would again run code.
 */
function findCallableTools({ tool, traits }: AllowedCall, { tools, insideOnly }: Pool): Tools {
  if (!tool.callsTools || traits.isReadOnly) return [];
  return [...tools, ...insideOnly].filter((candidate) => !candidate.callsTools);
}
