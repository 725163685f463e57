// The full permission check for what a tool's `call` wants done by another tool: the same stations 3
// and 4 that the model's own calls pass, or those that a cell's pass. Handed to tools as `canUseTool`.
import { createChildController } from '../core/abort.ts';
import { createPathJudge } from '../core/path-access.ts';
import type { CanUseTool } from '../core/permission.ts';
import { authorize } from './authorize.ts';
import type { AllowedCall } from './authorize.ts';
import type { ToolUse } from './collect.ts';
import { getCallPath } from './permissions/call-path.ts';
import type { Pool } from './registry/prepare-pool.ts';
import { createToolUseContext } from './session/session.ts';
import type { Session } from './session/session.ts';
import { toOrigin, validate } from './validate.ts';

/**
 * Allows with the input that was allowed, which may differ from the one that was asked about.
 * `asking` is the call of the tool that asks. Where another call's code has made it, what holds that
 * code back holds back whatever is done for it; `pool.tools` are then those that this code may call.
 */
export function createNestedCheck(
  session: Session,
  pool: Pool,
  asking: Pick<AllowedCall, 'tool' | 'caller'>,
): CanUseTool {
  const origin = toOrigin({ ...asking, requester: asking.tool });
  return async (toolName, input, { toolUseID, signal }) => {
    const controller = createChildController(signal);
    try {
      const context = createToolUseContext(session, pool, controller);
      const toolUse: ToolUse = { id: toolUseID, name: toolName, input, index: 0 };
      const valid = await validate(toolUse, context);
      const call =
        valid.stage === 'settled'
          ? valid
          : await authorize({ ...valid, ...origin }, context, session);
      if (call.stage === 'allowed') {
        const message = await findRefusal(call, context.cwd, session);
        return message === undefined
          ? { behavior: 'allow', updatedInput: call.input }
          : { behavior: 'deny', message };
      }
      const message = call.denial?.message ?? String(call.result.content);
      return { behavior: 'deny', message, interrupt: call.denial?.interrupt ?? false };
    } finally {
      controller[Symbol.dispose]();
    }
  };
}

/** Nothing but this stands between the tool and the file: it does by its own means what was allowed. */
async function findRefusal(
  call: AllowedCall,
  cwd: string,
  { host }: Session,
): Promise<string | undefined> {
  const target = getCallPath(call, cwd);
  if (target.type !== 'path') return undefined;
  const { judgeRealPath } = await import('./permissions/judge-real-path.ts');
  return judgeRealPath(call, target.path, createPathJudge(call.access), host.workspace.fs);
}
