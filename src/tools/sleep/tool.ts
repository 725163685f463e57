// The definition of the tool Sleep: it notes the time of the next tick, and ends the turn.
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import type { ToolUseContext } from '../../core/tool/context.ts';
import { sleepState, type SleepState } from '../../core/session/sleep-state.ts';
import { toValidation } from '../../core/tool/validation.ts';
import { sleepDescription, sleepPrompt, sleepToolName } from './prompt.ts';
import {
  defaultSleepSeconds,
  sleepInputSchema,
  sleepOutputSchema,
  type SleepInput,
  type SleepOutput,
} from './schema.ts';

export const sleepTool = buildTool({
  name: sleepToolName,
  searchHint: 'end the turn until the next tick',
  // Never deferred in proactive mode. Only that mode has it.
  shouldDefer: true,
  get inputSchema() {
    return sleepInputSchema();
  },
  get outputSchema() {
    return sleepOutputSchema();
  },

  description: () => Promise.resolve(sleepDescription),
  prompt: () => Promise.resolve(sleepPrompt),

  validateInput: (_input, { agentId }) =>
    toValidation(
      agentId === undefined ? undefined : 'No ticks come to you: end with your report instead.',
    ),
  checkPermissions: () => Promise.resolve({ behavior: 'allow' }),
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  changesOnlySession: () => true,
  endTurn: ({ message }) => message,

  call: (input, context) => sleep(input, context),
  resumeCall: (input, context) => sleep(input, context),

  userFacingName: () => 'Sleep',
  getToolUseSummary: ({ seconds }) => `${seconds ?? defaultSleepSeconds} s`,
  getActivityDescription: () => 'Sleeping',
  toAutoClassifierInput: () => 'sleep',

  mapToolResultToToolResultBlockParam: ({ message }, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: message,
  }),
} satisfies ToolDef<ReturnType<typeof sleepInputSchema>, SleepOutput>);

async function sleep(
  { seconds = defaultSleepSeconds }: SleepInput,
  { states, clock }: Pick<ToolUseContext, 'states' | 'clock'>,
): Promise<{ data: SleepOutput }> {
  const at = clock.now();
  const state: SleepState = { at, until: at + seconds * 1_000 };
  await states.set(sleepState, state);
  return {
    data: { seconds, message: `The next tick comes in ${seconds} s, unless the user writes.` },
  };
}
