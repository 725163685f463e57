// A PostToolUse hook's own output in the place of the tool's. Used by create-hooks.ts.
import { toSentResult } from '../../core/blocks.ts';
import { describeThrown } from '../../core/errors.ts';
import type { AllowedCall } from '../calls/authorize.ts';
import type { UsedCall } from './hooks.ts';

/**
 * The output and its block. Security: where the new output doesn't fit the tool, nothing is shown of
 * the old one either: the hook may have meant to hide it.
 */
export function replaceOutput(
  { tool, toolUse }: AllowedCall,
  output: unknown,
): Pick<UsedCall, 'output' | 'block'> {
  try {
    // As in validate.ts: zod's compiled parsers need what a strict page refuses.
    const checked = tool.outputSchema ? tool.outputSchema.parse(output, { jitless: true }) : output;
    const block = tool.mapToolResultToToolResultBlockParam(checked, toolUse.id);
    return { output: checked, block: toSentResult(block, toolUse.id) };
  } catch (error) {
    const content = `${tool.name} has run, but a hook replaced its output by one that can't be shown (${describeThrown(error)}).`;
    const block = {
      type: 'tool_result',
      tool_use_id: toolUse.id,
      content,
      is_error: true,
    } as const;
    return { output: undefined, block };
  }
}
