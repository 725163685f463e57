// The page's half: what the model reads of the tool, what it may do, and what the model is told.
import { buildTool, type ToolDef } from 'rockpool';
import { inputSchema, type Counted } from './schema.ts';

export const countTool = buildTool({
  name: 'CountWords',
  inputSchema,
  runsIn: 'worker',
  description: async (input) => (input ? `Count the words of ${input.file_path}` : 'Counts words.'),
  prompt: async () => 'Use CountWords instead of reading a file only to count its words.',
  getPath: ({ file_path }) => file_path,
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  mapToolResultToToolResultBlockParam: ({ path, words }, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: `${path} has ${words} words.`,
  }),
} satisfies ToolDef<typeof inputSchema, Counted>);
