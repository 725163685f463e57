// Creates the tool by which the model answers with data, for a query or for a program that runs an
// agent. Used by choose-tools.ts, and for sub-agents by agents/create-agent.ts.
import { SdkError } from '../../core/errors.ts';
import type { OutputFormat } from '../../core/messages/output-format.ts';
import { isListedTool } from '../../core/tool/listed-tool.ts';
import type { KnownTools } from '../../core/tool/listed-tool.ts';
import type { Tool } from '../../core/tool/tool.ts';

/**
 * The tool for answers in that form, whichever tools were chosen. @throws SdkError `bad-usage` if
 * the form isn't possible
 */
export async function bindOutputTool(known: KnownTools, format: OutputFormat): Promise<Tool> {
  for (const tool of known) {
    const bound = isListedTool(tool) ? undefined : await tool.forOutputFormat?.(format);
    if (bound) return bound;
  }
  throw new SdkError(
    'bad-usage',
    'outputFormat needs the tool SyntheticOutput, which this host does not have. Give the host all built-in tools, or leave outputFormat out.',
    { data: { option: 'outputFormat' } },
  );
}
