// The view of NotebookEdit: the notebook, the cell, and its source before and after.
import { CallFrame, isChangedByPerson, wordFor } from '../../react/kit/call-frame.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { EditableText, ParsedCall } from '../../react/kit/define-view.tsx';
import { DraftDiff } from '../../react/kit/draft-diff.tsx';
import { FileLink } from '../../react/kit/file-link.tsx';
import { notebookEditInputSchema, notebookEditOutputSchema } from './schema.ts';
import type { NotebookEditInput, NotebookEditOutput } from './schema.ts';

export const view = defineView(
  { input: notebookEditInputSchema, output: notebookEditOutputSchema },
  NotebookEditView,
);

export const editable: EditableText = {
  field: 'new_source',
  label: 'The new source',
  hasEffect: (input) => input['edit_mode'] !== 'delete',
};

const words = {
  replace: ['Editing a cell of', 'Edited a cell of', 'Edit a cell of'],
  insert: ['Inserting a cell into', 'Inserted a cell into', 'Insert a cell into'],
  delete: ['Deleting a cell of', 'Deleted a cell of', 'Delete a cell of'],
} as const;

function NotebookEditView({
  call,
}: {
  readonly call: ParsedCall<NotebookEditInput, NotebookEditOutput>;
}) {
  const { input, output, state } = call;
  const path = input.notebook_path ?? output?.notebook_path ?? '';
  const mode = input.edit_mode ?? 'replace';
  const [doing, done, toDo] = words[mode];
  const cellId = output?.cell_id ?? input.cell_id;
  const newSource = mode === 'delete' ? '' : (input.new_source ?? '');
  const isNote = (output?.cell_type ?? input.cell_type) === 'markdown';
  return (
    <CallFrame
      call={call}
      title={wordFor(state, doing, output ? done : toDo)}
      detail={path && <FileLink path={path} suffix="" />}
      meta={output && `${output.cell_type}, ${output.cell_id}`}
      isOpen
    >
      {!output && cellId !== undefined && (
        <p className="rp-note">
          {mode === 'insert' ? 'After cell' : 'Cell'} {cellId}
        </p>
      )}
      <DraftDiff
        oldText={output?.old_source ?? ''}
        newText={newSource}
        language={isNote ? 'markdown' : (output?.language ?? 'python')}
      />
      {isChangedByPerson(call) && (
        <p className="rp-note">You changed this before you allowed it.</p>
      )}
    </CallFrame>
  );
}
