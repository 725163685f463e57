// The view of Edit: the two texts as they arrive, then the diff of what it would change, or has changed.
import { countChanges } from '../../core/count-changes.ts';
import { CallFrame, isChangedByPerson, wordFor } from '../../react/kit/call-frame.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { EditableText, ParsedCall } from '../../react/kit/define-view.tsx';
import { Diff, DiffStat } from '../../react/kit/diff.tsx';
import { DraftDiff } from '../../react/kit/draft-diff.tsx';
import { FileLink } from '../../react/kit/file-link.tsx';
import { editInputSchema, editOutputSchema } from './schema.ts';
import type { EditInput, EditOutput } from './schema.ts';

export const view = defineView({ input: editInputSchema, output: editOutputSchema }, EditView);

export const editable: EditableText = { field: 'new_string', label: 'The new text' };

function EditView({ call }: { readonly call: ParsedCall<EditInput, EditOutput> }) {
  const { input, output, state } = call;
  const path = input.file_path ?? output?.filePath ?? '';
  const proposed = output ? undefined : call.proposedChanges?.[0];
  const hunks = output?.structuredPatch ?? proposed?.structuredPatch ?? [];
  const firstLine = hunks[0]?.newStart;
  return (
    <CallFrame
      call={call}
      title={wordFor(state, 'Editing', output ? 'Edited' : 'Edit')}
      detail={path && <FileLink path={path} {...(firstLine && { line: firstLine })} suffix="" />}
      meta={
        output ? (
          <>
            {isChangedByPerson(call) && 'with your changes · '}
            <DiffStat {...countChanges(output.structuredPatch)} />
          </>
        ) : (
          proposed && <DiffStat {...proposed} />
        )
      }
      isOpen
    >
      {input.replace_all && <p className="rp-note">Every occurrence in the file.</p>}
      {output || hunks.length > 0 ? (
        <Diff hunks={hunks} path={path} />
      ) : (
        (input.old_string !== undefined || input.new_string !== undefined) && (
          <DraftDiff
            oldText={input.old_string ?? ''}
            newText={input.new_string ?? ''}
            language={path}
          />
        )
      )}
      {(output?.userModified || isChangedByPerson(call)) && (
        <p className="rp-note">You changed this before you allowed it.</p>
      )}
    </CallFrame>
  );
}
