// What the code of a call may call, and the way there. `loop.ts` loads it for the first call of a tool
// that runs code.
import type { ChangeSet } from '../../core/change-set.ts';
import type { AssistantMessage } from '../../core/messages.ts';
import type { Tools } from '../../core/tool/tool.ts';
import type { AllowedCall } from './authorize.ts';
import type { DispatchOptions } from './dispatch.ts';
import { createNestedApprovals } from './nested-approvals.ts';
import type { NestedApprovals } from './nested-approvals.ts';
import type { Pool } from '../registry/prepare-pool.ts';
import { runNestedCall } from './run-nested-call.ts';
import type { Caller } from './run-nested-call.ts';
import type { CallScope } from './turn.ts';

/** What station 6 is told of them, and what they were allowed to leave behind. */
export interface NestedCallsOfOne extends Pick<DispatchOptions, 'nested'> {
  readonly approvals: NestedApprovals;
}

/** For one call, which has made none yet. */
export function createNestedCalls(
  call: AllowedCall,
  parentMessage: AssistantMessage,
  scope: CallScope,
): NestedCallsOfOne {
  const { kit } = scope;
  const tools = findCallableTools(call, scope.pool);
  const approvals = createNestedApprovals(kit.getCallPath);
  if (tools.length === 0) return { approvals };
  const caller: Caller = {
    call,
    tools,
    parentMessage,
    scope,
    // Whoever had the code run answers for what it calls.
    origin: kit.toOrigin({ ...call, caller: call.tool }),
    outerCallId: call.toolUse.id,
    readFileState: scope.session.readFileState,
    nestedCalls: 0,
    // To the cell's draft: nothing is committed. The model has seen nothing of what was read.
    toPorts: (nested, outcome) => ({
      readFileState: new Map<string, number>(),
      ownFiles: { weigh: scope.session.ownFiles.weigh, record: () => undefined },
      workspace: {
        commit: ({ baseSeq, changes }: ChangeSet) => {
          const replaced = outcome.type === 'done' ? (outcome.replaced ?? []) : [];
          approvals.add(nested, changes, replaced);
          return Promise.resolve({ seq: baseSeq });
        },
      },
    }),
  };
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
