// Edit, as the agent knows it. Its body is worker.ts.
// Neither read-only nor concurrency-safe: those are the defaults, and two edits of one file must not
// run side by side.
import { countChanges } from '../../core/count-changes.ts';
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import { toSummary } from '../../core/tool/summary.ts';
import { explainForeignPath } from '../../core/explain-foreign-path.ts';
import { editDescription, editPrompt, editToolName } from './prompt.ts';
import { editInputSchema, editOutputSchema, type EditOutput } from './schema.ts';

export const editTool = buildTool({
  name: editToolName,
  searchHint: 'change text in a file',
  get inputSchema() {
    return editInputSchema();
  },
  get outputSchema() {
    return editOutputSchema();
  },
  runsIn: 'worker',
  isRehearsed: true,

  description: (input) => Promise.resolve(input ? `Edit ${input.file_path}` : editDescription),
  prompt: () => Promise.resolve(editPrompt),

  validateInput(input, { cwd }) {
    const refuse = (errorCode: number, message: string) =>
      Promise.resolve({ result: false, errorCode, message } as const);
    if (input.old_string === input.new_string) {
      return refuse(1, 'old_string and new_string are the same, so there is nothing to change.');
    }
    const message = explainForeignPath(input.file_path, cwd);
    return message === undefined ? Promise.resolve({ result: true }) : refuse(2, message);
  },
  getPath: (input) => input.file_path,
  withChangedInput: (output, asked) => ({
    ...output,
    userModified: output.newString !== asked.new_string,
  }),
  getFileChanges: ({ filePath, oldString, structuredPatch }) => [
    {
      path: filePath,
      type: oldString === '' ? 'create' : 'update',
      ...countChanges(structuredPatch),
      structuredPatch: oldString === '' ? [] : structuredPatch,
    },
  ],

  userFacingName: (input) => (input?.old_string === '' ? 'Create' : 'Edit'),
  getToolUseSummary: (input) => (input.file_path ? toSummary(input.file_path, 'end') : null),
  getActivityDescription: (input) => (input.file_path ? `Editing ${input.file_path}` : null),
  // Security: only the new text can do harm, so the classifier gets all of it.
  toAutoClassifierInput: (input) => `${input.file_path}: ${input.new_string}`,

  mapToolResultToToolResultBlockParam: (output, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: toSentence(output),
  }),
} satisfies ToolDef<ReturnType<typeof editInputSchema>, EditOutput>);

/** The patch is for people. The model wrote the change, and only needs to know that it was made. */
function toSentence(output: EditOutput): string {
  const { additions, deletions } = countChanges(output.structuredPatch);
  const what = output.replaceAll ? 'every occurrence replaced' : 'replaced';
  const done = `Edited ${output.filePath}: ${what}, ${additions} lines added and ${deletions} removed.`;
  if (!output.userModified) return done;
  return `${done} The user changed the new text before they allowed it. It is now:\n${output.newString}`;
}
