// The view of Sleep: until when the agent rests.
import { CallFrame, wordFor } from '../../react/kit/call-frame.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { ParsedCall } from '../../react/kit/define-view.tsx';
import { defaultSleepSeconds, sleepInputSchema, sleepOutputSchema } from './schema.ts';
import type { SleepInput, SleepOutput } from './schema.ts';

export const view = defineView({ input: sleepInputSchema, output: sleepOutputSchema }, SleepView);

function SleepView({ call }: { readonly call: ParsedCall<SleepInput, SleepOutput> }) {
  const { state, input, output } = call;
  const seconds = output?.seconds ?? input.seconds ?? defaultSleepSeconds;
  return (
    <CallFrame
      call={call}
      title={wordFor(state, 'Going to sleep', output ? 'Sleeps' : 'Sleep')}
      detail={`${seconds} s`}
    >
      <p className="rp-note">The agent rests until the next tick. Write, and it wakes.</p>
    </CallFrame>
  );
}
