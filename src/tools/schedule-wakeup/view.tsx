// The view of ScheduleWakeup: when the agent continues, and for which purpose.
import { CallFrame, wordFor } from '../../react/kit/call-frame.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { ParsedCall } from '../../react/kit/define-view.tsx';
import { scheduleWakeupInputSchema, scheduleWakeupOutputSchema } from './schema.ts';
import type { ScheduleWakeupInput, ScheduleWakeupOutput } from './schema.ts';

export const view = defineView(
  { input: scheduleWakeupInputSchema, output: scheduleWakeupOutputSchema },
  ScheduleWakeupView,
);

function ScheduleWakeupView({
  call,
}: {
  readonly call: ParsedCall<ScheduleWakeupInput, ScheduleWakeupOutput>;
}) {
  const { input, output, state } = call;
  const { reason, prompt, noop } = input;
  const seconds = output?.clampedDelaySeconds ?? input.delaySeconds;
  const verbs = input.stop
    ? (['Cancelling the wake-up', output ? 'Cancelled the wake-up' : 'Cancel the wake-up'] as const)
    : (['Setting a wake-up', output ? 'Wakes up' : 'Wake up'] as const);
  return (
    <CallFrame
      call={call}
      title={wordFor(state, verbs[0], verbs[1])}
      detail={!input.stop && seconds !== undefined && `in ${seconds} s`}
      meta={noop && 'nothing to do'}
    >
      {(reason ?? prompt) && <p className="rp-note">{reason ?? prompt}</p>}
    </CallFrame>
  );
}
