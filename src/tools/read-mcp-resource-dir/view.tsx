// The view of ReadMcpResourceDirTool: the directory, and the entries directly below it.
import { CallFrame, wordFor } from '../../react/kit/call-frame.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { ParsedCall } from '../../react/kit/define-view.tsx';
import { ResourceList } from '../../react/kit/resource-list.tsx';
import { readMcpResourceDirInputSchema, readMcpResourceDirOutputSchema } from './schema.ts';
import type { ReadMcpResourceDirInput, ReadMcpResourceDirOutput } from './schema.ts';

export const view = defineView(
  { input: readMcpResourceDirInputSchema, output: readMcpResourceDirOutputSchema },
  ReadMcpResourceDirView,
);

function ReadMcpResourceDirView({
  call,
}: {
  readonly call: ParsedCall<ReadMcpResourceDirInput, ReadMcpResourceDirOutput>;
}) {
  const { input, output, state } = call;
  const count = output?.resources.length;
  return (
    <CallFrame
      call={call}
      title={wordFor(state, 'Listing', output ? 'Listed' : 'List directory')}
      detail={<code>{input.uri}</code>}
      meta={count === undefined ? input.server : count === 1 ? '1 entry' : `${count} entries`}
    >
      {output && count !== 0 && <ResourceList resources={output.resources} withServers={false} />}
    </CallFrame>
  );
}
