// What becomes of a call once its PreToolUse hooks have spoken. Used by create-hooks.ts.
import { toResultText } from '../../core/blocks.ts';
import type { ToolUseContext } from '../../core/tool/context.ts';
import type { Settled } from '../calls/settled.ts';
import type { ValidCall } from '../calls/validate.ts';
import type { Fired } from './fire-hooks.ts';
import type { HookKit } from './hook-kit.ts';
import { mergeCallAnswers } from './merge-answers.ts';

/**
 * The call as it goes on to the rules, or its end. Never rejects.
 *
 * Security: a hook's word never is the last one. A rewritten input is parsed like the model's, and an
 * allow is an opinion that permissions/decide.ts weighs below deny and ask rules, protected paths, the
 * tool's own objection and the mode.
 */
export async function applyCallVerdict(
  { answers, isCancelled }: Fired,
  call: ValidCall,
  context: ToolUseContext,
  kit: HookKit,
): Promise<ValidCall | Settled> {
  const { toolUse, tool } = call;
  if (isCancelled) return kit.settleStopped(toolUse);
  const { decision, reason, updatedInput } = mergeCallAnswers(answers);
  if (decision === 'deny') return refuse(call, reason || `A hook refused ${tool.name}.`, kit);
  if (decision === 'defer') return defer(call, reason, kit);
  const next = updatedInput ? await rewrite(call, updatedInput, context, kit) : call;
  if (next.stage === 'settled' || !decision) return next;
  return { ...next, opinion: { behavior: decision, message: reason || 'it gave no reason.' } };
}

async function rewrite(
  { toolUse, tool, caller, requester }: ValidCall,
  updatedInput: Record<string, unknown>,
  context: ToolUseContext,
  kit: HookKit,
): Promise<ValidCall | Settled> {
  const valid = await kit.validateInput(toolUse, tool, updatedInput, context);
  if (valid.stage === 'valid') {
    return { ...valid, ...(caller && { caller }), ...(requester && { requester }) };
  }
  const why = toResultText(valid.result);
  return kit.settleWithError(
    toolUse,
    `${tool.name} was not run: a hook changed its input.\n${why}`,
  );
}

function refuse({ toolUse }: ValidCall, message: string, kit: HookKit): Settled {
  return kit.settleWithDenial(toolUse, {
    reason: { type: 'hook', message },
    message,
    interrupt: false,
  });
}

/** What another call has made can't be put off: it would have to be kept, with all that it holds. */
function defer(call: ValidCall, reason: string, kit: HookKit): Settled {
  const { toolUse, tool, caller, requester } = call;
  const waiting = requester ?? caller;
  if (waiting)
    return refuse(call, `A hook put ${tool.name} off, and ${waiting.name} can't wait.`, kit);
  const why = reason && ` (${reason})`;
  const message = `${tool.name} was put off${why} and has not run. Call it again when the conversation goes on, if it is still wanted.`;
  return { ...kit.settleWithError(toolUse, message), isDeferred: true };
}
