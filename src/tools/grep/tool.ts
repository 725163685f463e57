// The definition of the tool Grep. worker.ts implements it.
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import { toSummary } from '../../core/tool/summary.ts';
import { toValidation } from '../../core/tool/validation.ts';
import { grepDescription, grepPrompt, grepToolName } from './prompt.ts';
import { grepInputSchema, grepOutputSchema, type GrepInput, type GrepOutput } from './schema.ts';

export const grepTool = buildTool({
  name: grepToolName,
  searchHint: 'search file contents with regular expressions',
  get inputSchema() {
    return grepInputSchema();
  },
  get outputSchema() {
    return grepOutputSchema();
  },
  runsIn: 'worker',

  description: (input) =>
    Promise.resolve(input ? `Search for ${quotePattern(input)}` : grepDescription),
  prompt: () => Promise.resolve(grepPrompt),

  // Two different numbers for one setting are refused, because choosing one would be a guess.
  validateInput: (input) =>
    toValidation(
      input['-C'] === undefined || input.context === undefined || input['-C'] === input.context
        ? undefined
        : '-C and context are two names of one setting: give only one of them.',
    ),
  // The search applies the rules below this path: denied files are neither read nor counted.
  getPath: (input) => input.path ?? '.',

  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  isSearchOrReadCommand: () => ({ isSearch: true, isRead: false }),

  userFacingName: () => 'Search',
  getToolUseSummary: (input) => (input.pattern ? toSummary(input.pattern) : null),
  getActivityDescription: (input) =>
    input.pattern === undefined ? null : `Searching for ${quotePattern(input)}`,

  mapToolResultToToolResultBlockParam: (output, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: [...toBody(output), ...toNotes(output)].join('\n'),
  }),
} satisfies ToolDef<ReturnType<typeof grepInputSchema>, GrepOutput>);

function quotePattern({ pattern, path }: Partial<GrepInput>): string {
  return `'${pattern ?? ''}'${path === undefined ? '' : ` in ${path}`}`;
}

/** Only the lines, names or counts, in ripgrep's format. */
function toBody(output: GrepOutput): string[] {
  const body = output.mode === 'files_with_matches' ? output.filenames.join('\n') : output.content;
  if (body) return [body];
  if (output.binaryFiles) return [];
  return [output.appliedOffset === undefined ? 'No matches found.' : 'No more matches.'];
}

/** Without this note, a mistake in a glob would look like an answer about the text. */
const noFilesNote =
  '(No file was searched: path, glob and type together select none. A glob with a slash is taken from the working ' +
  'directory, also below a path; brackets of a name are written \\[ and \\]; what ignore files leave out is searched ' +
  'where path names it.)';

/** Notes beside the matches: the total, the missing part, and how to get the rest. */
function toNotes(output: GrepOutput): string[] {
  const { appliedLimit, appliedOffset = 0, binaryFiles, unreadFiles } = output;
  const notes: string[] = [];
  if (output.hasNoFiles) notes.push(noFilesNote);
  if (output.mode === 'count' && output.numFiles > 0) {
    notes.push(`(${output.numMatches} matches in ${output.totalFiles} files.)`);
  }
  if (binaryFiles) notes.push(`(Binary files that match, not shown: ${binaryFiles.join(', ')}.)`);
  if (unreadFiles) notes.push(`(Not searched: ${unreadFiles.join(', ')}.)`);
  if (appliedLimit !== undefined) {
    const next = appliedOffset + appliedLimit;
    notes.push(`(This ends at number ${next}. There is more: go on with offset: ${next}.)`);
  }
  return notes.length > 0 ? ['', ...notes] : [];
}
