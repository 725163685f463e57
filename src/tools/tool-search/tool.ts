// The definition of the tool ToolSearch. It has no worker half, because it searches the agent's
// tools, and its context has the port to them.
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import type { MessageParam } from '../../core/messages/messages.ts';
import { toSummary } from '../../core/tool/summary.ts';
import { toSystemReminder } from '../../core/messages/system-reminder.ts';
import type { ToolResultContent } from '../../core/tool/tool.ts';
import { toDiscoveredToolsMessage } from '../../core/tool/tool-catalog.ts';
import { toolSearchDescription, toolSearchPrompt, toolSearchToolName } from './prompt.ts';
import {
  defaultMaxResults,
  toolSearchInputSchema,
  toolSearchOutputSchema,
  type ToolSearchOutput,
} from './schema.ts';

export const toolSearchTool = buildTool({
  name: toolSearchToolName,
  searchHint: 'find and load tools by name',
  get inputSchema() {
    return toolSearchInputSchema();
  },
  get outputSchema() {
    return toolSearchOutputSchema();
  },

  async call(input, { toolCatalog }) {
    const { query, max_results = defaultMaxResults } = input;
    const { matches, unknown, deferredCount } = await toolCatalog.search(query, max_results);
    return {
      data: { query, matches, unknown, total_deferred_tools: deferredCount },
      newMessages: toAttachments(matches, unknown),
    };
  },

  description: (input) =>
    Promise.resolve(input ? `Look for tools: ${input.query}` : toolSearchDescription),
  prompt: () => Promise.resolve(toolSearchPrompt),

  // The call only describes tools that the model may call anyway.
  checkPermissions: () => Promise.resolve({ behavior: 'allow' }),
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  isSearchOrReadCommand: () => ({ isSearch: true, isRead: false }),

  userFacingName: () => 'ToolSearch',
  getToolUseSummary: (input) => (input.query ? toSummary(input.query) : null),
  getActivityDescription: (input) => (input.query ? `Looking for tools: ${input.query}` : null),

  // A list of names that is spilled to a file would load no tools.
  maxResultSizeChars: Infinity,
  // References to tools. If the model doesn't support them, the agent writes definitions.
  // References and text are never mixed, because the API doesn't allow that.
  mapToolResultToToolResultBlockParam: (output, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: toContent(output),
  }),
} satisfies ToolDef<ReturnType<typeof toolSearchInputSchema>, ToolSearchOutput>);

function toContent({ matches, unknown, ...output }: ToolSearchOutput): ToolResultContent {
  if (matches.length > 0) {
    return matches.map(({ name }) => ({ type: 'tool_reference', tool_name: name }));
  }
  if (unknown.length > 0) return describeUnknown(unknown);
  return `No tool matches these words. ${output.total_deferred_tools} tools were looked through: try other words, or "select:" and a name.`;
}

/** The record of the found tools, and further text that the references have no room for. */
function toAttachments(
  matches: ToolSearchOutput['matches'],
  unknown: readonly string[],
): MessageParam[] {
  if (matches.length === 0) return [];
  const found = toDiscoveredToolsMessage(matches.map(({ name }) => name));
  return unknown.length > 0 ? [found, toSystemReminder(describeUnknown(unknown))] : [found];
}

function describeUnknown(names: readonly string[]): string {
  return `There is no tool named ${names.join(', or ')}.`;
}
