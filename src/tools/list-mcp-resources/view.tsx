// The view of ListMcpResourcesTool: the server, and its resources.
import { CallFrame, wordFor } from '../../react/kit/call-frame.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { ParsedCall } from '../../react/kit/define-view.tsx';
import { ResourceList } from '../../react/kit/resource-list.tsx';
import { listMcpResourcesInputSchema, listMcpResourcesOutputSchema } from './schema.ts';
import type { ListMcpResourcesInput, ListMcpResourcesOutput } from './schema.ts';

export const view = defineView(
  { input: listMcpResourcesInputSchema, output: listMcpResourcesOutputSchema },
  ListMcpResourcesView,
);

function ListMcpResourcesView({
  call,
}: {
  readonly call: ParsedCall<ListMcpResourcesInput, ListMcpResourcesOutput>;
}) {
  const { input, output, state } = call;
  return (
    <CallFrame
      call={call}
      title={wordFor(state, 'Listing resources', output ? 'Listed resources' : 'List resources')}
      detail={input.complete ? <code>{input.complete.uri}</code> : input.server}
      meta={output && (output.length === 1 ? '1 resource' : `${output.length} resources`)}
    >
      {output && output.length > 0 && (
        <ResourceList resources={output} withServers={input.server === undefined} />
      )}
    </CallFrame>
  );
}
