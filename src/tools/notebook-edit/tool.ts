// The definition of the tool NotebookEdit. worker.ts implements it. Neither read-only nor
// concurrency-safe, by default, as for Edit.
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import { extname } from '../../core/path.ts';
import { toSummary } from '../../core/tool/summary.ts';
import { notebookEditDescription, notebookEditPrompt, notebookEditToolName } from './prompt.ts';
import {
  notebookEditInputSchema,
  notebookEditOutputSchema,
  type NotebookEditInput,
  type NotebookEditOutput,
} from './schema.ts';

export const notebookEditTool = buildTool({
  name: notebookEditToolName,
  searchHint: 'edit cells of Jupyter notebooks',
  shouldDefer: true,
  get inputSchema() {
    return notebookEditInputSchema();
  },
  get outputSchema() {
    return notebookEditOutputSchema();
  },
  runsIn: 'worker',
  isRehearsed: true,

  description: (input) => Promise.resolve(input ? describeEdit(input) : notebookEditDescription),
  prompt: () => Promise.resolve(notebookEditPrompt),

  validateInput(input) {
    if (extname(input.notebook_path) !== '.ipynb') {
      return refuse(1, `${input.notebook_path} is no .ipynb file: change it with Edit.`);
    }
    const mode = input.edit_mode ?? 'replace';
    if (mode !== 'insert' && input.cell_id === undefined) {
      return refuse(2, `cell_id is needed to ${mode} a cell. Read shows the cells' ids.`);
    }
    if (mode === 'insert' && input.cell_type === undefined) {
      return refuse(3, 'cell_type is needed to insert a cell: "code" or "markdown".');
    }
    return Promise.resolve({ result: true });
  },
  getPath: (input) => input.notebook_path,
  withChangedInput: (output, asked) =>
    output.new_source === asked.new_source ? output : { ...output, user_modified: true },

  userFacingName: () => 'NotebookEdit',
  getToolUseSummary: (input) =>
    input.notebook_path ? toSummary(input.notebook_path, 'end') : null,
  getActivityDescription: (input) =>
    input.notebook_path ? `Editing ${input.notebook_path}` : null,
  // Security: only the new source can do harm, so the classifier sees it whole.
  toAutoClassifierInput: (input) =>
    `${input.notebook_path}: ${input.edit_mode ?? 'replace'} ${input.new_source}`,

  mapToolResultToToolResultBlockParam: (output, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: toResult(output),
  }),
} satisfies ToolDef<ReturnType<typeof notebookEditInputSchema>, NotebookEditOutput>);

function refuse(errorCode: number, message: string) {
  return Promise.resolve({ result: false as const, errorCode, message });
}

function describeEdit({
  notebook_path,
  edit_mode = 'replace',
  cell_id,
}: NotebookEditInput): string {
  const verb = { replace: 'Replace', insert: 'Insert', delete: 'Delete' }[edit_mode];
  const which = edit_mode === 'insert' ? 'a cell in' : `cell ${cell_id ?? ''} of`;
  return `${verb} ${which} ${notebook_path}`;
}

function toResult(output: NotebookEditOutput): string {
  const done = toSentence(output);
  if (!output.user_modified) return done;
  return `${done} The user changed the source before they allowed it. It is now:\n${output.new_source}`;
}

/** The model wrote the source. It only has to hear the id of a new cell. */
function toSentence({ edit_mode, cell_id, cell_type, notebook_path }: NotebookEditOutput): string {
  switch (edit_mode) {
    case 'replace':
      return `Replaced the source of the ${cell_type} cell ${cell_id} in ${notebook_path}.`;
    case 'insert':
      return `Inserted the ${cell_type} cell ${cell_id} into ${notebook_path}.`;
    case 'delete':
      return `Deleted the ${cell_type} cell ${cell_id} from ${notebook_path}.`;
  }
}
