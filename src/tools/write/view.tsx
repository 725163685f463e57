// The view of Write: the content as it arrives, then the diff against the former one, or the whole of
// a new file.
import { countChanges } from '../../core/count-changes.ts';
import { countLines } from '../../core/text/count-lines.ts';
import { CallFrame, isChangedByPerson, wordFor } from '../../react/kit/call-frame.tsx';
import { CodeBlock } from '../../react/kit/code-block.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { EditableText, ParsedCall } from '../../react/kit/define-view.tsx';
import { Diff, DiffStat } from '../../react/kit/diff.tsx';
import { FileLink } from '../../react/kit/file-link.tsx';
import { writeInputSchema, writeOutputSchema } from './schema.ts';
import type { WriteInput, WriteOutput } from './schema.ts';

export const view = defineView({ input: writeInputSchema, output: writeOutputSchema }, WriteView);

export const editable: EditableText = { field: 'content', label: 'The content' };

function WriteView({ call }: { readonly call: ParsedCall<WriteInput, WriteOutput> }) {
  const { input, output, state } = call;
  const proposed = output ? undefined : call.proposedChanges?.[0];
  const hunks = output?.type === 'update' ? output.structuredPatch : proposed?.structuredPatch;
  const path = input.file_path ?? output?.filePath ?? '';
  const done = output ? (output.type === 'create' ? 'Created' : 'Wrote') : 'Write';
  return (
    <CallFrame
      call={call}
      title={wordFor(state, 'Writing', done)}
      detail={path && <FileLink path={path} />}
      meta={
        output ? (
          <>
            {isChangedByPerson(call) && 'with your changes · '}
            <Figures output={output} />
          </>
        ) : (
          proposed && <DiffStat {...proposed} />
        )
      }
      isOpen
    >
      {hunks && (output || hunks.length > 0) ? (
        <Diff hunks={hunks} path={path} />
      ) : (
        <CodeBlock text={output?.content ?? input.content ?? ''} startLine={1} language={path} />
      )}
      {(output?.userModified || isChangedByPerson(call)) && (
        <p className="rp-note">You changed this before you allowed it.</p>
      )}
    </CallFrame>
  );
}

function Figures({ output }: { readonly output: WriteOutput }) {
  if (output.type === 'update') return <DiffStat {...countChanges(output.structuredPatch)} />;
  return <DiffStat additions={countLines(output.content)} deletions={0} />;
}
