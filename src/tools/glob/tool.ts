// The definition of the tool Glob. worker.ts implements it.
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import { toSummary } from '../../core/tool/summary.ts';
import { globDescription, globPrompt, globToolName } from './prompt.ts';
import { globInputSchema, globOutputSchema, type GlobOutput } from './schema.ts';

export const globTool = buildTool({
  name: globToolName,
  searchHint: 'find files by name pattern',
  get inputSchema() {
    return globInputSchema();
  },
  get outputSchema() {
    return globOutputSchema();
  },
  runsIn: 'worker',

  description: (input) =>
    Promise.resolve(input ? `Find files that match ${input.pattern}` : globDescription),
  prompt: () => Promise.resolve(globPrompt),

  // The walk applies the rules below this path, so denied files aren't found. If a pattern leads to
  // another directory, the view applies them.
  getPath: (input) => input.path ?? '.',

  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  isSearchOrReadCommand: () => ({ isSearch: true, isRead: false, isList: true }),

  userFacingName: () => 'Find files',
  getToolUseSummary: (input) => (input.pattern ? toSummary(input.pattern) : null),
  getActivityDescription: (input) => (input.pattern ? `Finding ${input.pattern}` : null),

  mapToolResultToToolResultBlockParam: (output, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: toText(output),
  }),
} satisfies ToolDef<ReturnType<typeof globInputSchema>, GlobOutput>);

/** Says how many names are missing, so that a cut list doesn't look complete. */
function toText({ filenames, truncated, totalMatches, hint }: GlobOutput): string {
  if (filenames.length === 0) return `No files found.${hint === undefined ? '' : ` (${hint})`}`;
  const names = filenames.join('\n');
  if (!truncated) return names;
  return (
    `${names}\n\n(The newest ${filenames.length} of ${totalMatches} files. ` +
    'Narrow the pattern or give a path to see others.)'
  );
}
