// The view of CronDelete: the job.
import { CallFrame, wordFor } from '../../react/kit/call-frame.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { ParsedCall } from '../../react/kit/define-view.tsx';
import { cronDeleteInputSchema, cronDeleteOutputSchema } from './schema.ts';
import type { CronDeleteInput, CronDeleteOutput } from './schema.ts';

export const view = defineView(
  { input: cronDeleteInputSchema, output: cronDeleteOutputSchema },
  CronDeleteView,
);

function CronDeleteView({
  call,
}: {
  readonly call: ParsedCall<CronDeleteInput, CronDeleteOutput>;
}) {
  const { input, output, state } = call;
  return (
    <CallFrame
      call={call}
      title={wordFor(state, 'Unscheduling', output ? 'Unscheduled' : 'Unschedule')}
      detail={input.id && `job ${input.id}`}
    />
  );
}
