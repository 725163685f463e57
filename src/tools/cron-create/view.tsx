// The view of CronCreate: the schedule, and the prompt.
import { toLocalTime } from '../../core/triggers/local-time.ts';
import { CallFrame, wordFor } from '../../react/kit/call-frame.tsx';
import { CodeBlock } from '../../react/kit/code-block.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { ParsedCall } from '../../react/kit/define-view.tsx';
import { cronCreateInputSchema, cronCreateOutputSchema } from './schema.ts';
import type { CronCreateInput, CronCreateOutput } from './schema.ts';

export const view = defineView(
  { input: cronCreateInputSchema, output: cronCreateOutputSchema },
  CronCreateView,
);

function CronCreateView({
  call,
}: {
  readonly call: ParsedCall<CronCreateInput, CronCreateOutput>;
}) {
  const { input, output, state } = call;
  const how = [
    input.recurring === false ? 'once' : 'again and again, for 7 days',
    input.durable ? 'also after the session was closed' : 'while the session is open',
  ];
  return (
    <CallFrame
      call={call}
      title={wordFor(state, 'Scheduling', output ? 'Scheduled' : 'Schedule')}
      detail={output?.humanSchedule ?? <code>{input.cron}</code>}
      meta={output && `job ${output.id}`}
    >
      {input.prompt && <CodeBlock text={input.prompt} wraps />}
      <p className="rp-note">
        Runs {how.join(', ')}.
        {output?.nextFireAt !== undefined &&
          ` Next: ${toLocalTime(output.nextFireAt, output.timeZone)} (${output.timeZone}).`}
      </p>
    </CallFrame>
  );
}
