// The definition of the tool ScheduleWakeup. It has no worker half, because the session keeps its
// wake-up.
import { SdkError } from '../../core/errors.ts';
import { toSummary } from '../../core/tool/summary.ts';
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import type { CallContext } from '../../core/tool/context.ts';
import { toValidation } from '../../core/tool/validation.ts';
import {
  scheduleWakeupDescription,
  scheduleWakeupPrompt,
  scheduleWakeupToolName,
} from './prompt.ts';
import {
  maxDelaySeconds,
  minDelaySeconds,
  scheduleWakeupInputSchema,
  scheduleWakeupOutputSchema,
  type ScheduleWakeupInput,
  type ScheduleWakeupOutput,
} from './schema.ts';

export const scheduleWakeupTool = buildTool({
  name: scheduleWakeupToolName,
  searchHint: 'be woken once after some minutes',
  shouldDefer: true,
  get inputSchema() {
    return scheduleWakeupInputSchema();
  },
  get outputSchema() {
    return scheduleWakeupOutputSchema();
  },

  description: (input) => Promise.resolve(input ? describeInput(input) : scheduleWakeupDescription),
  prompt: () => Promise.resolve(scheduleWakeupPrompt),

  validateInput(input, { wakeups, agentId }) {
    const message =
      agentId === undefined
        ? (findFault(input) ?? (input.stop ? undefined : wakeups?.findFault()))
        : 'Wake-ups come to the main agent alone: end with your report instead.';
    return toValidation(message);
  },
  // A turn that nobody asks for costs something. Cancelling one doesn't.
  checkPermissions: ({ stop }) => Promise.resolve({ behavior: stop ? 'allow' : 'passthrough' }),
  changesOnlySession: ({ stop }) => stop === true,

  call: schedule,
  // The same call sets the same wake-up.
  resumeCall: schedule,

  userFacingName: () => 'Wake up later',
  getToolUseSummary: (input) => toSummary(describeInput(input)),
  getActivityDescription: () => 'Setting a wake-up',
  toAutoClassifierInput: describeInput,

  mapToolResultToToolResultBlockParam: (output, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: describeOutput(output),
  }),
} satisfies ToolDef<ReturnType<typeof scheduleWakeupInputSchema>, ScheduleWakeupOutput>);

async function schedule(
  { delaySeconds = minDelaySeconds, reason = '', prompt = reason, stop }: ScheduleWakeupInput,
  { wakeups, toolUseID }: CallContext,
): Promise<{ data: ScheduleWakeupOutput }> {
  if (!wakeups) {
    throw new SdkError('unsupported-environment', 'This query schedules nothing: see triggers.');
  }
  if (stop) {
    const cancelledWakeups = (await wakeups.cancel()) ? 1 : 0;
    const none = { scheduledFor: 0, clampedDelaySeconds: 0, wasClamped: false };
    return { data: { ...none, stopped: true, cancelledWakeups } };
  }
  const clampedDelaySeconds = Math.min(Math.max(delaySeconds, minDelaySeconds), maxDelaySeconds);
  const { dueAt } = await wakeups.set({
    delayMs: clampedDelaySeconds * 1_000,
    prompt: prompt === '' ? 'Go on with what you were waiting for.' : prompt,
    madeBy: toolUseID,
  });
  const wasClamped = clampedDelaySeconds !== delaySeconds;
  return { data: { scheduledFor: dueAt, clampedDelaySeconds, wasClamped } };
}

function findFault({ delaySeconds, stop }: ScheduleWakeupInput): string | undefined {
  if (stop && delaySeconds !== undefined) {
    return 'stop cancels the wake-up: leave delaySeconds out, or stop.';
  }
  return stop || delaySeconds !== undefined
    ? undefined
    : 'Say when, by delaySeconds, or stop: true to cancel the wake-up that is set.';
}

function describeInput({ delaySeconds, reason, prompt, stop }: Partial<ScheduleWakeupInput>) {
  if (stop) return 'Cancel the wake-up';
  const why = reason ?? prompt;
  const when = delaySeconds === undefined ? '' : ` in ${delaySeconds} s`;
  return `Wake up${when}${why === undefined ? '' : `: ${why}`}`;
}

function describeOutput(output: ScheduleWakeupOutput): string {
  const { clampedDelaySeconds, wasClamped, stopped, cancelledWakeups = 0 } = output;
  if (stopped) {
    return cancelledWakeups > 0 ? 'The wake-up is cancelled.' : 'No wake-up was set.';
  }
  const limits = wasClamped ? `, as it may be ${minDelaySeconds} to ${maxDelaySeconds}` : '';
  return `You are woken in ${clampedDelaySeconds} s${limits}, once the session rests.`;
}
