// The definition of the tool CronDelete. It has no worker half, because jobs belong to the session.
import { clipText } from '../../core/text/clip-text.ts';
import { SdkError } from '../../core/errors.ts';
import { toSummary } from '../../core/tool/summary.ts';
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import type { CallContext } from '../../core/tool/context.ts';
import { toValidation } from '../../core/tool/validation.ts';
import { cronDeleteDescription, cronDeletePrompt, cronDeleteToolName } from './prompt.ts';
import {
  cronDeleteInputSchema,
  cronDeleteOutputSchema,
  type CronDeleteInput,
  type CronDeleteOutput,
} from './schema.ts';

export const cronDeleteTool = buildTool({
  name: cronDeleteToolName,
  searchHint: 'cancel a scheduled prompt',
  shouldDefer: true,
  get inputSchema() {
    return cronDeleteInputSchema();
  },
  get outputSchema() {
    return cronDeleteOutputSchema();
  },

  description: (input) =>
    Promise.resolve(input ? `Take the scheduled prompt ${input.id} back` : cronDeleteDescription),
  prompt: () => Promise.resolve(cronDeletePrompt),

  validateInput({ id }, { crons, agentId }) {
    const message =
      agentId === undefined
        ? crons && findFault(id, crons.list())
        : "Jobs are the main agent's: say in your report which one is to end.";
    return toValidation(message);
  },
  // The call only ends a job that would cost money, so nobody is asked.
  checkPermissions: () => Promise.resolve({ behavior: 'allow' }),
  changesOnlySession: () => true,

  call: deleteOne,
  // The job existed when the call began.
  resumeCall: deleteOne,

  userFacingName: () => 'Unschedule',
  getToolUseSummary: ({ id }) => toSummary(id ?? '') || null,
  getActivityDescription: () => 'Taking a scheduled prompt back',
  toAutoClassifierInput: ({ id }) => `unschedule ${id}`,

  mapToolResultToToolResultBlockParam: ({ id }, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: `The job ${id} runs no more.`,
  }),
} satisfies ToolDef<ReturnType<typeof cronDeleteInputSchema>, CronDeleteOutput>);

async function deleteOne(
  { id }: CronDeleteInput,
  { crons }: CallContext,
): Promise<{ data: CronDeleteOutput }> {
  if (!crons) {
    throw new SdkError('unsupported-environment', 'This query schedules nothing: see triggers.');
  }
  await crons.delete(id);
  return { data: { id } };
}

function findFault(id: string, jobs: readonly { readonly id: string }[]): string | undefined {
  if (jobs.some((job) => job.id === id)) return undefined;
  const others =
    jobs.length === 0 ? 'There is none.' : `There are ${jobs.map((job) => job.id).join(', ')}.`;
  return `No job ${clipText(id, 100)} is scheduled: it may have run, or have ended. ${others}`;
}
