// The full permission check for what a tool's `call` wants done by another tool: the same stations 3
// and 4 that the model's own calls pass, or those that a cell's pass. Handed to tools as `canUseTool`.
import type { createChildController } from '../../core/abort.ts';
import type { createPathJudge } from '../../core/access/path-access.ts';
import type { CanUseTool } from '../../core/permission.ts';
import type { authorize, AllowedCall } from './authorize.ts';
import type { ToolUse } from '../messages/collect.ts';
import type { getCallPath } from '../permissions/match-rule.ts';
import type { Pool } from '../registry/prepare-pool.ts';
import type { createToolUseContext, Session } from '../session/session.ts';
import type { toOrigin, validate } from './validate.ts';

/**
 * What it takes from the stations. Handed in by `run-work.ts` rather than imported, so that it stays out
 * of what every query loads: few tools ask; see hooks/hook-kit.ts.
 */
export interface CheckKit {
  readonly authorize: typeof authorize;
  readonly createChildController: typeof createChildController;
  readonly createPathJudge: typeof createPathJudge;
  readonly createToolUseContext: typeof createToolUseContext;
  readonly getCallPath: typeof getCallPath;
  readonly toOrigin: typeof toOrigin;
  readonly validate: typeof validate;
}

/**
 * Allows with the input that was allowed, which may differ from the one that was asked about.
 * `asking` is the call of the tool that asks. Where another call's code has made it, what holds that
 * code back holds back whatever is done for it; `pool.tools` are then those that this code may call.
 */
export function createNestedCheck(
  kit: CheckKit,
  session: Session,
  pool: Pool,
  asking: Pick<AllowedCall, 'tool' | 'caller' | 'requester'>,
): CanUseTool {
  // Security: a server's tool stays who asks, whichever of ours does it for it.
  const requester = asking.requester?.isMcp ? asking.requester : asking.tool;
  const origin = kit.toOrigin({ ...asking, requester });
  return async (toolName, input, { toolUseID, signal }) => {
    const controller = kit.createChildController(signal);
    try {
      // Also what only code may call: a tool is code.
      const tools = [...pool.tools, ...pool.insideOnly];
      const context = kit.createToolUseContext(session, pool, controller, tools);
      const toolUse: ToolUse = { id: toolUseID, name: toolName, input, index: 0 };
      const valid = await kit.validate(toolUse, context);
      const call =
        valid.stage === 'settled'
          ? valid
          : await kit.authorize({ ...valid, ...origin }, context, session);
      if (call.stage === 'allowed') {
        const message = await findRefusal(kit, call, context.cwd, session);
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
  kit: CheckKit,
  call: AllowedCall,
  cwd: string,
  { host }: Session,
): Promise<string | undefined> {
  const target = kit.getCallPath(call, cwd);
  if (target.type !== 'path') return undefined;
  const { judgeRealPath } = await import('../permissions/judge-change.ts');
  return judgeRealPath(call, target.path, kit.createPathJudge(call.access), host.workspace.fs);
}
