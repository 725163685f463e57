// The view of ListAgents: the agents, a line each.
import { CallFrame, wordFor } from '../../react/kit/call-frame.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { ParsedCall } from '../../react/kit/define-view.tsx';
import { listAgentsInputSchema, listAgentsOutputSchema } from './schema.ts';
import type { ListAgentsInput, ListAgentsOutput } from './schema.ts';

export const view = defineView(
  { input: listAgentsInputSchema, output: listAgentsOutputSchema },
  ListAgentsView,
);

function ListAgentsView({
  call,
}: {
  readonly call: ParsedCall<ListAgentsInput, ListAgentsOutput>;
}) {
  const { output, state } = call;
  const agents = output?.agents ?? [];
  const running = agents.filter(({ isRunning }) => isRunning).length;
  return (
    <CallFrame
      call={call}
      title={wordFor(state, 'Listing the agents', output ? 'Listed the agents' : 'List the agents')}
      meta={output && (agents.length === 0 ? 'none' : `${running} of ${agents.length} run`)}
    >
      {agents.length > 0 && (
        <ul className="rp-list">
          {agents.map(({ agentId, name, agentType, description, isRunning }) => (
            <li key={agentId}>
              <code>{name ?? agentType}</code> {description}
              {isRunning ? '' : ' (at rest)'}
            </li>
          ))}
        </ul>
      )}
    </CallFrame>
  );
}
