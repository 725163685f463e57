// The view of SendMessage: the addressee, and the text.
import { CallFrame, wordFor } from '../../react/kit/call-frame.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { ParsedCall } from '../../react/kit/define-view.tsx';
import { sendMessageInputSchema, sendMessageOutputSchema } from './schema.ts';
import type { SendMessageInput, SendMessageOutput } from './schema.ts';

export const view = defineView(
  { input: sendMessageInputSchema, output: sendMessageOutputSchema },
  SendMessageView,
);

function SendMessageView({
  call,
}: {
  readonly call: ParsedCall<SendMessageInput, SendMessageOutput>;
}) {
  const { input, output, state } = call;
  return (
    <CallFrame
      call={call}
      title={wordFor(state, 'Writing to', output ? 'Wrote to' : 'Write to')}
      detail={<code>{input.to}</code>}
    >
      {input.message !== undefined && <p className="rp-note">{input.message}</p>}
    </CallFrame>
  );
}
