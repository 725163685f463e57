// The definition of the tool SetGoal. It has no worker half, because the session keeps the goal,
// and its loop checks it.
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import type { CallContext } from '../../core/tool/context.ts';
import type { ToolResult } from '../../core/tool/tool.ts';
import { toSummary } from '../../core/tool/summary.ts';
import { toValidation } from '../../core/tool/validation.ts';
import { setGoalDescription, setGoalPrompt, setGoalToolName } from './prompt.ts';
import {
  setGoalInputSchema,
  setGoalOutputSchema,
  type SetGoalInput,
  type SetGoalOutput,
} from './schema.ts';

export const setGoalTool = buildTool({
  name: setGoalToolName,
  aliases: ['ProposeGoal'],
  searchHint: 'work on until a condition holds',
  shouldDefer: true,
  get inputSchema() {
    return setGoalInputSchema();
  },
  get outputSchema() {
    return setGoalOutputSchema();
  },

  description: (input) =>
    Promise.resolve(input?.condition === undefined ? setGoalDescription : describeInput(input)),
  prompt: () => Promise.resolve(setGoalPrompt),

  validateInput: (_input, { agentId }) =>
    toValidation(
      agentId === undefined
        ? undefined
        : 'A sub-agent has no goal of its own: do your task, and report to the agent that began you.',
    ),
  // A goal may cost much, so a person, a rule or a mode must allow it.
  checkPermissions: ({ ask_user: asksUser = false }) =>
    Promise.resolve(
      asksUser
        ? { behavior: 'ask', message: 'it wants to work until this holds.' }
        : { behavior: 'passthrough' },
    ),
  changesOnlySession: () => true,

  call: set,
  // The same goal is set again, and its checks restart.
  resumeCall: set,

  userFacingName: () => 'Goal',
  getToolUseSummary: ({ condition }) => (condition === undefined ? null : toSummary(condition)),
  getActivityDescription: () => 'Setting a goal',
  genToolPermission: (input) => ({ title: 'Work until this holds?', content: input.condition }),
  toAutoClassifierInput: describeInput,

  mapToolResultToToolResultBlockParam: ({ condition }, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: `The goal is set: ${condition}\nWork until it holds, and show the proof. It is checked whenever you come to rest.`,
  }),
} satisfies ToolDef<ReturnType<typeof setGoalInputSchema>, SetGoalOutput>);

async function set(
  { condition, ask_user: askUser = false }: SetGoalInput,
  { setGoal }: Pick<CallContext, 'setGoal'>,
): Promise<ToolResult<SetGoalOutput>> {
  await setGoal(condition);
  return { data: { condition, askUser } };
}

function describeInput({ condition = '?' }: Partial<SetGoalInput>): string {
  return `Work until this holds: ${condition}`;
}
