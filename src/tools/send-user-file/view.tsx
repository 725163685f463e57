// The view of SendUserFile: the file that the person is given, its size, and its kind.
import { CallFrame, wordFor } from '../../react/kit/call-frame.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { ParsedCall } from '../../react/kit/define-view.tsx';
import { FileLink } from '../../react/kit/file-link.tsx';
import { sendUserFileInputSchema, sendUserFileOutputSchema } from './schema.ts';
import type { SendUserFileInput, SendUserFileOutput } from './schema.ts';

export const view = defineView(
  { input: sendUserFileInputSchema, output: sendUserFileOutputSchema },
  SendUserFileView,
);

function SendUserFileView({
  call,
}: {
  readonly call: ParsedCall<SendUserFileInput, SendUserFileOutput>;
}) {
  const { input, output, state } = call;
  const path = output?.filePath ?? input.file_path;
  const note = output?.note ?? input.note;
  return (
    <CallFrame
      call={call}
      title={wordFor(state, 'Sending you', output ? 'For you' : 'Send you')}
      detail={path !== undefined && <FileLink path={path} />}
      meta={output && describeSize(output.size)}
      isOpen
    >
      {note !== undefined && note !== '' && <p className="rp-note">{note}</p>}
      {output?.wasDelivered === false && (
        <p className="rp-note">It stands in the workspace: nothing here hands files over.</p>
      )}
    </CallFrame>
  );
}

function describeSize(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  return bytes < 1_000_000
    ? `${(bytes / 1_000).toFixed(1)} kB`
    : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
