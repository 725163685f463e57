// The view of WaitForMcpServers: the servers, and the outcome of each.
import { CallFrame, wordFor } from '../../react/kit/call-frame.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { ParsedCall } from '../../react/kit/define-view.tsx';
import { waitForMcpServersInputSchema, waitForMcpServersOutputSchema } from './schema.ts';
import type { WaitForMcpServersInput, WaitForMcpServersOutput } from './schema.ts';

export const view = defineView(
  { input: waitForMcpServersInputSchema, output: waitForMcpServersOutputSchema },
  WaitForMcpServersView,
);

type Call = ParsedCall<WaitForMcpServersInput, WaitForMcpServersOutput>;

function WaitForMcpServersView({ call }: { readonly call: Call }) {
  const { input, output, state } = call;
  const title = wordFor(
    state,
    'Waiting for servers',
    output ? 'Waited for servers' : 'Wait for servers',
  );
  return (
    <CallFrame call={call} title={title} detail={input.servers?.join(', ')}>
      {output?.servers.map(({ name, status, error }) => (
        <p className="rp-note" key={name}>
          {name}: {words[status]}
          {error !== undefined && status === 'failed' ? `. ${error}` : ''}
        </p>
      ))}
    </CallFrame>
  );
}

const words = {
  connected: 'connected',
  pending: 'still connecting',
  failed: 'not reached',
  'needs-auth': 'wants a login',
  disabled: 'switched off',
} as const;
