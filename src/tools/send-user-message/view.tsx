// The view of SendUserMessage: the message, unfolded, because it is meant to be read.
import { CallFrame, wordFor } from '../../react/kit/call-frame.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { ParsedCall } from '../../react/kit/define-view.tsx';
import { Markdown } from '../../react/kit/markdown.tsx';
import { sendUserMessageInputSchema, sendUserMessageOutputSchema } from './schema.ts';
import type { SendUserMessageInput, SendUserMessageOutput } from './schema.ts';

export const view = defineView(
  { input: sendUserMessageInputSchema, output: sendUserMessageOutputSchema },
  SendUserMessageView,
);

function SendUserMessageView({
  call,
}: {
  readonly call: ParsedCall<SendUserMessageInput, SendUserMessageOutput>;
}) {
  const text = call.output?.message ?? call.input.message;
  return (
    <CallFrame call={call} title={wordFor(call.state, 'Writing to you', 'Message to you')} isOpen>
      {text !== undefined && text !== '' && <Markdown text={text} />}
    </CallFrame>
  );
}
