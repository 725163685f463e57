// The view of Agent: what it was given, and what it came to. The calls that it makes stand below it.
import { CallFrame, wordFor } from '../../react/kit/call-frame.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { ParsedCall } from '../../react/kit/define-view.tsx';
import { Markdown } from '../../react/kit/markdown.tsx';
import { agentInputSchema, agentOutputSchema } from './schema.ts';
import type { AgentInput, AgentOutput } from './schema.ts';

export const view = defineView({ input: agentInputSchema, output: agentOutputSchema }, AgentView);

function AgentView({ call }: { readonly call: ParsedCall<AgentInput, AgentOutput> }) {
  const { input, output, state } = call;
  const kind = input.subagent_type ?? 'Agent';
  const isLaunched = output?.status === 'async_launched';
  return (
    <CallFrame
      call={call}
      title={wordFor(state, `Running ${kind}`, isLaunched ? `Started ${kind}` : kind)}
      detail={input.description}
    >
      {output?.status === 'completed' && (
        <Markdown text={output.content.map(({ text }) => text).join('\n\n')} />
      )}
    </CallFrame>
  );
}
