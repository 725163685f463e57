// The view of Agent: its task and its result. While it runs, its work is shown below the call.
import { CallFrame, wordFor } from '../../react/kit/call-frame.tsx';
import { CodeBlock } from '../../react/kit/code-block.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { ParsedCall } from '../../react/kit/define-view.tsx';
import { Markdown } from '../../react/kit/markdown.tsx';
import { agentInputSchema, agentOutputSchema } from './schema.ts';
import type { AgentInput, AgentOutput } from './schema.ts';

export const view = defineView({ input: agentInputSchema, output: agentOutputSchema }, AgentView);

function AgentView({ call }: { readonly call: ParsedCall<AgentInput, AgentOutput> }) {
  const { input, output, state, task } = call;
  const kind = input.subagent_type ?? 'Agent';
  // A background agent's start has its own result.
  const isAtWork = task?.status === 'running';
  return (
    <CallFrame
      call={call}
      title={isAtWork ? `Running ${kind}` : wordFor(state, `Running ${kind}`, kind)}
      detail={input.description}
    >
      {input.prompt !== undefined && <CodeBlock label="Task" text={input.prompt} wraps />}
      {output?.status === 'completed' && (
        <Markdown text={output.content.map(({ text }) => text).join('\n\n')} />
      )}
      {output?.status === 'async_launched' && task && task.summary !== '' && (
        <Markdown text={task.summary} />
      )}
      {output?.status === 'completed' && output.mergeNote !== undefined && (
        <Markdown text={output.mergeNote} />
      )}
    </CallFrame>
  );
}
