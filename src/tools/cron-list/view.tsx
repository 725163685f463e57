// The view of CronList: the jobs, a line each.
import { toLocalTime } from '../../core/triggers/local-time.ts';
import { CallFrame, wordFor } from '../../react/kit/call-frame.tsx';
import { defineView } from '../../react/kit/define-view.tsx';
import type { ParsedCall } from '../../react/kit/define-view.tsx';
import { TaskLines } from '../../react/kit/task-lines.tsx';
import { cronListInputSchema, cronListOutputSchema } from './schema.ts';
import type { CronListInput, CronListOutput } from './schema.ts';

export const view = defineView(
  { input: cronListInputSchema, output: cronListOutputSchema },
  CronListView,
);

function CronListView({ call }: { readonly call: ParsedCall<CronListInput, CronListOutput> }) {
  const { output, state } = call;
  const jobs = output?.jobs ?? [];
  return (
    <CallFrame
      call={call}
      title={wordFor(
        state,
        'Looking at what is scheduled',
        output ? 'Looked at what is scheduled' : 'Look at what is scheduled',
      )}
      meta={output && (jobs.length === 0 ? 'nothing' : `${jobs.length} scheduled`)}
    >
      {jobs.length > 0 && (
        <TaskLines
          label="Scheduled prompts"
          tasks={jobs.map(({ id, humanSchedule, prompt, nextFireAt, timeZone }) => ({
            key: id,
            text: `${humanSchedule}: ${prompt}`,
            status: 'pending',
            ...(nextFireAt !== undefined && { note: `next ${toLocalTime(nextFireAt, timeZone)}` }),
          }))}
        />
      )}
    </CallFrame>
  );
}
