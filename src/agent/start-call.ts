// Runs a tool's `call` on the agent's own thread, under the same rules as a worker's handler:
// `dispatch.ts` interrupts it, and abandons it where it doesn't stop.
import { toSerializedError } from '../core/errors.ts';
import type { ToolResult } from '../core/tool.ts';
import type { AllowedCall } from './authorize.ts';
import type { DispatchOptions, Running } from './dispatch.ts';

/** Starts it in a microtask of its own, so a `call` that throws at once is a reply like any other. */
export function startCall(call: AllowedCall, options: DispatchOptions): Running {
  const { tool, input } = call;
  const { contextModifiers = [] } = options;
  const abortController = new AbortController();
  let abandon: (reason: string) => void = () => undefined;
  const abandoned = new Promise<Awaited<Running['reply']>>((resolve) => {
    abandon = (message) => resolve({ type: 'lost', message });
  });

  const run = async (): Promise<Awaited<Running['reply']>> => {
    try {
      if (!tool.call) throw new TypeError(`${tool.name} has neither call() nor runsIn: 'worker'.`);
      const given = contextModifiers.reduce((before, modify) => modify(before), options.context);
      const result: ToolResult<unknown> | undefined = await tool.call(
        input,
        { ...given, abortController, toolUseID: call.toolUse.id },
        options.canUseTool,
        options.parentMessage,
        options.onProgress,
      );
      if (!result) throw new TypeError('its call() must resolve with { data }');
      const { data, newMessages, contextModifier, mcpMeta } = result;
      const hasEnded = !call.traits.isConcurrencySafe && !abortController.signal.aborted;
      if (contextModifier && hasEnded) contextModifiers.push(contextModifier);
      return {
        ...{ type: 'done', output: data, changeSet: null, reads: [] },
        ...(newMessages && { newMessages }),
        ...(mcpMeta && { mcpMeta }),
      };
    } catch (error) {
      return { type: 'failed', error: toSerializedError(error) };
    }
  };

  return {
    reply: Promise.race([Promise.resolve().then(run), abandoned]),
    interrupt: (reason) => abortController.abort(reason),
    // Nothing stands before what runs on the agent's own thread.
    isBehind: () => false,
    kill: abandon,
  };
}
