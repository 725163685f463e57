// Implements NotebookEdit: one cell of a notebook that the model knows, changed in its text.
import { throwIfAborted } from '../../core/async/abort.ts';
import type { WorkContext } from '../../core/tool/handler.ts';
import { resolvePath } from '../../core/path.ts';
import type { LocalFileSystem } from '../../workspace/files/file-system.ts';
import { editNotebook } from '../../text/edit-notebook.ts';
import { encodeText } from '../../text/encoding.ts';
import { keepOriginal } from '../../text/keep-original.ts';
import { toLineFeeds } from '../../text/line-endings.ts';
import { readKnownText, refuseHuge } from '../../workspace/draft/read-known-text.ts';
import {
  notebookEditInputSchema,
  type NotebookEditInput,
  type NotebookEditOutput,
} from './schema.ts';

type Context = WorkContext<LocalFileSystem>;

export const notebookEditWorker = {
  get inputSchema() {
    return notebookEditInputSchema();
  },
  handler: edit,
};

/** Writes to the draft. The file keeps its encoding, its line ends and its mode. */
async function edit(input: NotebookEditInput, context: Context): Promise<NotebookEditOutput> {
  const { fs, signal } = context;
  const path = resolvePath(context.cwd, input.notebook_path);
  const { text: before, format } = await readKnownText(path, 'NotebookEdit', context);
  const mode = input.edit_mode ?? 'replace';
  const edited = editNotebook(before, path, {
    mode,
    source: toLineFeeds(input.new_source),
    ...(input.cell_id !== undefined && { cellId: input.cell_id }),
    ...(input.cell_type && { cellType: input.cell_type }),
  });
  const bytes = encodeText(edited.text, format);
  refuseHuge(path, bytes.length, 'NotebookEdit', context);
  throwIfAborted(signal);
  await fs.writeFile(path, bytes);
  return {
    new_source: mode === 'delete' ? '' : input.new_source,
    ...(edited.oldSource !== undefined && { old_source: edited.oldSource }),
    cell_id: edited.cellId,
    cell_type: edited.cellType,
    language: edited.language,
    edit_mode: mode,
    notebook_path: path,
    original_file: keepOriginal(before),
    updated_file: keepOriginal(edited.text),
  };
}
