// The view of PushNotification: the message, and whether it was sent.
import { CallFrame, wordFor } from '../../react/kit/call-frame.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { ParsedCall } from '../../react/kit/define-view.tsx';
import { pushNotificationInputSchema, pushNotificationOutputSchema } from './schema.ts';
import type { PushNotificationInput, PushNotificationOutput } from './schema.ts';

export const view = defineView(
  { input: pushNotificationInputSchema, output: pushNotificationOutputSchema },
  PushNotificationView,
);

const reasons = {
  config_off: 'Not sent: notifications are not allowed.',
  user_present: 'Not sent: you were here.',
  no_transport: 'Not sent: there is no way to you when you are away.',
} as const;

function PushNotificationView({
  call,
}: {
  readonly call: ParsedCall<PushNotificationInput, PushNotificationOutput>;
}) {
  const { input, output, state } = call;
  const isSent = output?.sentAt !== undefined;
  return (
    <CallFrame
      call={call}
      title={wordFor(state, 'Notifying you', isSent ? 'Notified you' : 'Notify you')}
      detail={input.message}
    >
      {output && !isSent && (
        <p className="rp-note">{reasons[output.disabledReason ?? 'no_transport']}</p>
      )}
    </CallFrame>
  );
}
