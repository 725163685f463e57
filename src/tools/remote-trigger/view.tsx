// The view of RemoteTrigger: the request to the remote runtime, and the answer.
import { CallFrame, wordFor } from '../../react/kit/call-frame.tsx';
import { CodeBlock } from '../../react/kit/code-block.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { ParsedCall } from '../../react/kit/define-view.tsx';
import { remoteTriggerInputSchema, remoteTriggerOutputSchema } from './schema.ts';
import type { RemoteTriggerInput, RemoteTriggerOutput } from './schema.ts';

export const view = defineView(
  { input: remoteTriggerInputSchema, output: remoteTriggerOutputSchema },
  RemoteTriggerView,
);

function RemoteTriggerView({
  call,
}: {
  readonly call: ParsedCall<RemoteTriggerInput, RemoteTriggerOutput>;
}) {
  const { input, output, state } = call;
  return (
    <CallFrame
      call={call}
      title={wordFor(state, 'Asking the remote runtime', 'Remote')}
      detail={
        <>
          <code>{input.action}</code> {input.trigger_id ?? input.session_id}
        </>
      }
    >
      {input.body !== undefined && (
        <CodeBlock text={JSON.stringify(input.body, null, 2)} label="Body" language="json" />
      )}
      {output && (
        <p className="rp-note">
          Status {output.status}
          {output.summary !== undefined && `: ${output.summary}`}
        </p>
      )}
      {output !== undefined && output.json !== '' && (
        <CodeBlock text={output.json} label="Answer" language="json" />
      )}
    </CallFrame>
  );
}
