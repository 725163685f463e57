// NotebookEdit's input and output, as in the Claude Agent SDK.
import * as z from 'zod';
import { lazySchema } from '../../core/schema/lazy-schema.ts';

export const notebookEditInputSchema = lazySchema(() =>
  z.strictObject({
    notebook_path: z
      .string()
      .describe('The .ipynb file: absolute, or relative to the working directory.'),
    cell_id: z
      .string()
      .optional()
      .describe(
        'The cell that is meant. For insert: the one before the new cell; none: at the top.',
      ),
    new_source: z.string().describe("The cell's whole new source."),
    cell_type: z
      .enum(['code', 'markdown'])
      .optional()
      .describe('Needed for insert. For replace: what the cell becomes. Default: what it is.'),
    edit_mode: z.enum(['replace', 'insert', 'delete']).optional().describe('Default: replace.'),
  }),
);

/** The parsed input of a call of NotebookEdit. */
export type NotebookEditInput = z.output<ReturnType<typeof notebookEditInputSchema>>;

export const notebookEditOutputSchema = lazySchema(() =>
  z.strictObject({
    new_source: z.string(),
    /** Left out for a new cell. */
    old_source: z.string().optional(),
    cell_id: z.string(),
    /** `code`, `markdown`, or another type that the notebook has there, such as `raw`. */
    cell_type: z.string(),
    language: z.string(),
    edit_mode: z.enum(['replace', 'insert', 'delete']),
    notebook_path: z.string(),
    /** Ours: the person changed the source before they allowed the call. */
    user_modified: z.literal(true).optional(),
    /** The file's text before and after. Null if it is too large to repeat. */
    original_file: z.string().nullable(),
    updated_file: z.string().nullable(),
  }),
);

/** The output of NotebookEdit, as data. */
export type NotebookEditOutput = z.output<ReturnType<typeof notebookEditOutputSchema>>;
