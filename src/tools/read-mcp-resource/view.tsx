// The view of ReadMcpResourceTool: the address, and the content.
import { CallFrame, wordFor } from '../../react/kit/call-frame.tsx';
import { CodeBlock } from '../../react/kit/code-block.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { ParsedCall } from '../../react/kit/define-view.tsx';
import { FileLink } from '../../react/kit/file-link.tsx';
import { readMcpResourceInputSchema, readMcpResourceOutputSchema } from './schema.ts';
import type { ReadMcpResourceInput, ReadMcpResourceOutput } from './schema.ts';

export const view = defineView(
  { input: readMcpResourceInputSchema, output: readMcpResourceOutputSchema },
  ReadMcpResourceView,
);

function ReadMcpResourceView({
  call,
}: {
  readonly call: ParsedCall<ReadMcpResourceInput, ReadMcpResourceOutput>;
}) {
  const { input, output, state } = call;
  return (
    <CallFrame
      call={call}
      title={wordFor(state, 'Reading', output ? 'Read' : 'Read resource')}
      detail={<code>{input.uri}</code>}
      meta={input.server}
    >
      {output?.contents.map(({ uri, mimeType = '', text, blobSavedTo }, at) =>
        blobSavedTo === undefined ? (
          // oxlint-disable-next-line react/no-array-index-key -- parts may have one uri, and never move
          <CodeBlock key={at} text={text ?? ''} label={uri} wraps />
        ) : (
          // oxlint-disable-next-line react/no-array-index-key -- as above
          <p key={at} className="rp-note">
            {mimeType || 'Bytes'}: <FileLink path={blobSavedTo} />
          </p>
        ),
      )}
    </CallFrame>
  );
}
