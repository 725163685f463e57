// The definition of the tool CronCreate. It has no worker half, because jobs belong to the session.
import { throwIfAborted } from '../../core/async/abort.ts';
import { SdkError } from '../../core/errors.ts';
import { toLocalTime } from '../../core/triggers/local-time.ts';
import { toSummary } from '../../core/tool/summary.ts';
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import type { CallContext } from '../../core/tool/context.ts';
import { toValidation } from '../../core/tool/validation.ts';
import { cronCreateDescription, cronCreatePrompt, cronCreateToolName } from './prompt.ts';
import {
  cronCreateInputSchema,
  cronCreateOutputSchema,
  type CronCreateInput,
  type CronCreateOutput,
} from './schema.ts';

export const cronCreateTool = buildTool({
  name: cronCreateToolName,
  searchHint: 'schedule a prompt for later or at regular times',
  shouldDefer: true,
  get inputSchema() {
    return cronCreateInputSchema();
  },
  get outputSchema() {
    return cronCreateOutputSchema();
  },

  description: (input) =>
    Promise.resolve(
      input ? `Schedule a prompt (${input.cron}): ${input.prompt}` : cronCreateDescription,
    ),
  prompt: () => Promise.resolve(cronCreatePrompt),

  validateInput({ cron, durable = false }, { crons, agentId }) {
    const message =
      agentId === undefined
        ? crons?.findFault({ cron, durable })
        : 'Scheduled prompts come to the main agent alone. Say in your report what is to be scheduled.';
    return toValidation(message);
  },
  // Later turns spend the user's money, so the user or the user's rules must allow the job.
  checkPermissions: () => Promise.resolve({ behavior: 'passthrough' }),

  call: createOne,
  // Idempotent: the same call creates the same job.
  resumeCall: createOne,

  userFacingName: () => 'Schedule',
  getToolUseSummary: ({ cron, prompt }) => toSummary(`${cron ?? ''} ${prompt ?? ''}`) || null,
  getActivityDescription: () => 'Scheduling a prompt',
  toAutoClassifierInput: ({ cron, prompt }) => `schedule by "${cron}": ${prompt}`,

  mapToolResultToToolResultBlockParam: (output, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: describeOutput(output),
  }),
} satisfies ToolDef<ReturnType<typeof cronCreateInputSchema>, CronCreateOutput>);

async function createOne(
  { cron, prompt, recurring = true, durable = false }: CronCreateInput,
  { crons, states, toolUseID, abortController }: CallContext,
): Promise<{ data: CronCreateOutput }> {
  if (!crons) {
    throw new SdkError('unsupported-environment', 'This query schedules nothing: see triggers.');
  }
  const made = await states.runAlone(() => {
    throwIfAborted(abortController.signal);
    return crons.create({ cron, prompt, recurring, durable, madeBy: toolUseID });
  });
  const others = crons.list().filter((job) => !job.recurring && job.id !== made.id);
  const { id, humanSchedule, nextFireAt, timeZone } = made;
  return {
    data: {
      ...{ id, humanSchedule, recurring, durable, nextFireAt, timeZone },
      ...(!recurring && others.length > 0 && { otherOneShots: others.map(toOneShot) }),
    },
  };
}

type OneShot = NonNullable<CronCreateOutput['otherOneShots']>[number];

const toOneShot = ({ id, humanSchedule, prompt }: OneShot): OneShot => ({
  id,
  humanSchedule,
  prompt,
});

function describeOutput(output: CronCreateOutput): string {
  const {
    id,
    humanSchedule,
    recurring,
    durable,
    nextFireAt,
    otherOneShots = [],
    timeZone,
  } = output;
  const next = nextFireAt === undefined ? '' : ` ${toLocalTime(nextFireAt, timeZone)}`;
  const lines = [
    `The job ${id} is scheduled ${humanSchedule} (${timeZone}). ${recurring ? 'It runs next at' : 'It runs once, at'}${next}.`,
    ...(recurring ? ['After 7 days it ends with its last run.'] : []),
    durable
      ? 'It outlives a close of the session, and runs while the session is open.'
      : 'It ends when the session is closed.',
    ...(otherOneShots.length === 0
      ? []
      : [
          `These run once, too: ${otherOneShots.map((one) => `${one.id} (${one.humanSchedule}: ${toSummary(one.prompt)})`).join('; ')}.`,
        ]),
  ];
  return lines.join(' ');
}
