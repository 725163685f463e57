// Write, as the agent knows it. Its body is worker.ts.
// Neither read-only nor concurrency-safe, by default. Not destructive, as the file must have been read:
// what was there stands in the conversation, and in the workspace's log.
import { countChanges } from '../../core/count-changes.ts';
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import { toSummary } from '../../core/tool/summary.ts';
import { explainForeignPath } from '../../core/explain-foreign-path.ts';
import { countLines } from '../../core/text/count-lines.ts';
import { toValidation } from '../../core/tool/validation.ts';
import { writeDescription, writePrompt, writeToolName } from './prompt.ts';
import { writeInputSchema, writeOutputSchema, type WriteOutput } from './schema.ts';

export const writeTool = buildTool({
  name: writeToolName,
  searchHint: 'create or replace a whole file',
  get inputSchema() {
    return writeInputSchema();
  },
  get outputSchema() {
    return writeOutputSchema();
  },
  runsIn: 'worker',
  isRehearsed: true,

  description: (input) => Promise.resolve(input ? `Write ${input.file_path}` : writeDescription),
  prompt: () => Promise.resolve(writePrompt),

  validateInput: (input, { cwd }) => toValidation(explainForeignPath(input.file_path, cwd)),
  getPath: (input) => input.file_path,
  withChangedInput: (output, asked) => ({
    ...output,
    userModified: output.content !== asked.content,
  }),
  getFileChanges: ({ type, filePath, content, structuredPatch }) => [
    {
      path: filePath,
      type,
      ...(type === 'create'
        ? { additions: countLines(content), deletions: 0 }
        : countChanges(structuredPatch)),
      structuredPatch,
    },
  ],

  userFacingName: () => 'Write',
  getToolUseSummary: (input) => (input.file_path ? toSummary(input.file_path, 'end') : null),
  getActivityDescription: (input) => (input.file_path ? `Writing ${input.file_path}` : null),
  // Security: only the content can do harm, so the classifier gets all of it.
  toAutoClassifierInput: (input) => `${input.file_path}: ${input.content}`,

  mapToolResultToToolResultBlockParam: (output, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: toSentence(output),
  }),
} satisfies ToolDef<ReturnType<typeof writeInputSchema>, WriteOutput>);

/** The model wrote the content, so it isn't repeated to it, unless the user has changed it. */
function toSentence({ type, filePath, content, userModified }: WriteOutput): string {
  const done =
    type === 'create' ? `Made the new file ${filePath}.` : `Replaced the text of ${filePath}.`;
  if (!userModified) return done;
  return `${done} The user changed the content before they allowed it. It is now:\n${content}`;
}
