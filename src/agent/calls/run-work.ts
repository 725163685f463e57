// Station 6 for whatever makes a call: the model, the code of another call, a background task.
import { createChildController } from '../../core/abort.ts';
import type { ToolUseContext } from '../../core/tool/context.ts';
import { loadOnce } from '../../core/load-once.ts';
import { createPathJudge } from '../../core/access/path-access.ts';
import { authorize } from './authorize.ts';
import type { AllowedCall } from './authorize.ts';
import type { RunningTask } from '../background/tasks.ts';
import type { CheckKit } from './check-nested.ts';
import { dispatch } from './dispatch.ts';
import type { DispatchOptions, DispatchOutcome, NestedCalls } from './dispatch.ts';
import { getCallPath } from '../permissions/match-rule.ts';
import { createToolUseContext } from '../session/session.ts';
import { toProgressMessage } from '../messages/to-sdk-message.ts';
import type { Caller } from './run-nested-call.ts';
import type { CallScope } from './turn.ts';
import { toOrigin, validate } from './validate.ts';

const loadCheck = loadOnce(() => import('./check-nested.ts'));
const checkKit: CheckKit = {
  authorize,
  createChildController,
  createPathJudge,
  createToolUseContext,
  getCallPath,
  toOrigin,
  validate,
};

const loadPageCalls = loadOnce(() => import('./page-calls.ts'));

/** Dispatches the call, with what every call has of the session. Never rejects. */
export function runWork(
  call: AllowedCall,
  context: ToolUseContext,
  scope: CallScope,
  {
    task,
    ...options
  }: Pick<DispatchOptions, 'parentMessage' | 'outerCallId' | 'nested'> & {
    /** Where it runs in the background. */
    readonly task?: RunningTask;
  },
): Promise<DispatchOutcome> {
  const { session, hooks, pool, turn } = scope;
  const { executor, clock, workspace } = session.host;
  const { parentMessage, outerCallId } = options;
  let caller: Caller | undefined;
  const runForPage: NestedCalls['run'] = async (...asked) => {
    const { createPageCaller, runPageCallOf } = await loadPageCalls();
    caller ??= createPageCaller(call, parentMessage, scope, outerCallId);
    return runPageCallOf(caller, ...asked);
  };
  const startedAt = clock.now();
  const callId = task?.taskId ?? call.toolUse.id;
  hooks?.begin(call.toolUse.id);
  return dispatch(
    call,
    { executor, clock, workspace, limits: session.limits, downloads: session.downloads },
    {
      // Security: code in a worker may call what its own caller was granted, and nothing by this way.
      ...(call.tool.runsIn !== 'worker' && { nested: { tools: [], run: runForPage } }),
      ...options,
      ...(task && { isBackground: true }),
      context,
      contextModifiers: turn.contextModifiers,
      onWorker: (worker) => session.trace.record({ type: 'call-delta', callId, worker }),
      canUseTool: async (...asked) => {
        const { createNestedCheck } = await loadCheck();
        return createNestedCheck(checkKit, session, pool, call)(...asked);
      },
      onProgress: (progress) => {
        const elapsedMs = clock.now() - startedAt;
        const ids = { parentId: options.outerCallId ?? null, taskId: task?.taskId };
        task?.print(progress);
        turn.emit(toProgressMessage(session.id, call.toolUse, elapsedMs, progress, ids));
      },
    },
  );
}
