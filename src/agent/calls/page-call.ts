// A tool's own `call`: what it is handed, and what of its result can be used. Loaded by `start-call.ts`
// for the first one.
import type { CallContext } from '../../core/tool/context.ts';
import { fromSerializedError } from '../../core/errors.ts';
import { refuseNestedCalls } from '../../core/tool/nested-call.ts';
import type { ToolResult } from '../../core/tool/tool.ts';
import type { AllowedCall } from './authorize.ts';
import { createCallFiles } from './call-files.ts';
import { checkNewMessages } from './check-new-messages.ts';
import type { DispatchOutcome } from './dispatch.ts';
import type { StartCallOptions } from './start-call.ts';

/**
 * Runs it. `abortController` is the call's own. Rejects as the tool does, with a TypeError for a tool
 * whose result isn't one, and as a modifier of the context that throws.
 */
export async function runPageCall(
  call: AllowedCall,
  abortController: AbortController,
  options: StartCallOptions,
): Promise<Extract<DispatchOutcome, { type: 'done' }>> {
  const { tool, input, toolUse, traits, access } = call;
  const { contextModifiers = [], fs, createPathJudge } = options;
  const { onNestedCall = refuseNestedCalls } = options;
  // It was cut while this was loaded.
  abortController.signal.throwIfAborted();
  if (!tool.call) throw new TypeError(`${tool.name} has neither call() nor runsIn: 'worker'.`);
  const given = contextModifiers.reduce((before, modify) => modify(before), options.context);
  const context: CallContext = {
    ...given,
    abortController,
    toolUseID: toolUse.id,
    fs: createCallFiles(fs, access, createPathJudge),
    async callTool(toolName, nestedInput) {
      const reply = await onNestedCall({ toolName, input: nestedInput });
      if (reply.type === 'failed') throw fromSerializedError(reply.error);
      return reply.output;
    },
  };
  const result: ToolResult<unknown> | undefined = await tool.call(
    input,
    context,
    options.canUseTool,
    options.parentMessage,
    options.onProgress,
  );
  if (!result) throw new TypeError('its call() must resolve with { data }');
  const { data, newMessages, contextModifier, mcpMeta } = result;
  if (contextModifier !== undefined && typeof contextModifier !== 'function') {
    throw new TypeError('its contextModifier must be a function');
  }
  const messages = newMessages && checkNewMessages(newMessages);
  const hasEnded = !traits.isConcurrencySafe && !abortController.signal.aborted;
  if (contextModifier && hasEnded) contextModifiers.push(contextModifier);
  return {
    ...{ type: 'done', output: data, changeSet: null, reads: [] },
    ...(messages && { newMessages: messages }),
    ...(mcpMeta && { mcpMeta }),
  };
}
