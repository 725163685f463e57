// The definition of the tool SyntheticOutput: its input is the turn's answer, in the schema that
// the query gives.
import type { OutputFormat } from '../../core/messages/output-format.ts';
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import type { InputJsonSchema } from '../../core/schema/json-schema.ts';
import type { Tool } from '../../core/tool/tool.ts';
import {
  syntheticOutputDescription,
  syntheticOutputPrompt,
  syntheticOutputResult,
  syntheticOutputToolName,
} from './prompt.ts';
import {
  syntheticOutputInputSchema,
  syntheticOutputOutputSchema,
  type SyntheticOutputInput,
  type SyntheticOutputOutput,
} from './schema.ts';

export const syntheticOutputTool = buildTool({
  name: syntheticOutputToolName,
  // The Claude Agent SDK's name.
  aliases: ['StructuredOutput'],
  searchHint: 'give the final answer as data',
  alwaysLoad: true,
  get inputSchema() {
    return syntheticOutputInputSchema();
  },
  get outputSchema() {
    return syntheticOutputOutputSchema();
  },
  forOutputFormat,

  description: () => Promise.resolve(syntheticOutputDescription),
  prompt: () => Promise.resolve(syntheticOutputPrompt),

  checkPermissions: () => Promise.resolve({ behavior: 'allow' }),
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  endTurn: (output) => ({ result: JSON.stringify(output), structuredOutput: output }),

  call: (input) => Promise.resolve({ data: input }),

  userFacingName: () => 'Answer',
  getActivityDescription: () => 'Answering',
  toAutoClassifierInput: () => 'answer',

  mapToolResultToToolResultBlockParam: (_output, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: syntheticOutputResult,
  }),
} satisfies ToolDef<ReturnType<typeof syntheticOutputInputSchema>, SyntheticOutputOutput>);

async function forOutputFormat({ schema }: OutputFormat): Promise<Tool> {
  const { fromJsonSchema } = await import('../../core/schema/from-json-schema.ts');
  const inputSchema = fromJsonSchema('outputFormat.schema', schema);
  const { $schema: _, ...inputJSONSchema } = schema;
  return {
    ...(syntheticOutputTool as Tool),
    inputSchema,
    // A hook's answer has the same schema.
    outputSchema: inputSchema,
    inputJSONSchema: inputJSONSchema as InputJsonSchema,
  };
}

export type { SyntheticOutputInput };
