// The definition of the tool CronList. It has no worker half, because jobs belong to the session.
import { SdkError } from '../../core/errors.ts';
import { toLocalTime } from '../../core/triggers/local-time.ts';
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import { cronListDescription, cronListPrompt, cronListToolName } from './prompt.ts';
import { cronListInputSchema, cronListOutputSchema, type CronListOutput } from './schema.ts';

export const cronListTool = buildTool({
  name: cronListToolName,
  searchHint: 'show scheduled prompts and the local time',
  shouldDefer: true,
  get inputSchema() {
    return cronListInputSchema();
  },
  get outputSchema() {
    return cronListOutputSchema();
  },

  description: (input) => Promise.resolve(input ? 'Show what is scheduled' : cronListDescription),
  prompt: () => Promise.resolve(cronListPrompt),

  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  checkPermissions: () => Promise.resolve({ behavior: 'allow' }),

  call: async (_input, { crons, clock }) => {
    if (!crons) {
      throw new SdkError('unsupported-environment', 'This query schedules nothing: see triggers.');
    }
    const { timeZone } = crons;
    return { data: { jobs: [...crons.list()], now: clock.now(), timeZone } };
  },

  userFacingName: () => 'Show schedule',
  getActivityDescription: () => 'Looking at what is scheduled',

  mapToolResultToToolResultBlockParam: ({ jobs, now, timeZone }, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: [
      `It is ${toLocalTime(now, timeZone)} (${timeZone}). ${jobs.length === 0 ? 'Nothing is scheduled.' : 'Scheduled:'}`,
      ...jobs.map(toLine),
    ].join('\n'),
  }),
} satisfies ToolDef<ReturnType<typeof cronListInputSchema>, CronListOutput>);

function toLine(job: CronListOutput['jobs'][number]): string {
  const {
    id,
    humanSchedule,
    prompt,
    recurring = true,
    durable = false,
    nextFireAt,
    timeZone,
  } = job;
  const facts = [
    recurring ? 'recurring' : 'once',
    ...(durable ? ['durable'] : []),
    ...(nextFireAt === undefined ? [] : [`next at ${toLocalTime(nextFireAt, timeZone)}`]),
    timeZone,
  ];
  return `${id}: ${humanSchedule} (${facts.join('; ')}): ${prompt}`;
}
