// The definition of the tool EnterPlanMode. A person is asked; the reminder of plan mode has the
// rest for the model.
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import type { ToolUseContext } from '../../core/tool/context.ts';
import { toValidation } from '../../core/tool/validation.ts';
import { enterPlanModeDescription, enterPlanModePrompt, enterPlanModeToolName } from './prompt.ts';
import {
  enterPlanModeInputSchema,
  enterPlanModeOutputSchema,
  type EnterPlanModeOutput,
} from './schema.ts';

const question = 'Plan before anything is changed?';

export const enterPlanModeTool = buildTool({
  name: enterPlanModeToolName,
  searchHint: 'plan before changing anything',
  shouldDefer: true,
  get inputSchema() {
    return enterPlanModeInputSchema();
  },
  get outputSchema() {
    return enterPlanModeOutputSchema();
  },

  description: (input) => Promise.resolve(input ? question : enterPlanModeDescription),
  prompt: () => Promise.resolve(enterPlanModePrompt),

  validateInput: (_input, context) => toValidation(findMistake(context)),
  checkPermissions: () =>
    Promise.resolve({ behavior: 'ask', message: 'it wants to plan before it changes anything.' }),
  changesOnlySession: () => true,

  call: (_input, context) => Promise.resolve(enter(context)),
  // Entering twice is the same as once.
  resumeCall: (_input, context) => Promise.resolve(enter(context)),

  userFacingName: () => 'Plan first',
  userFacingNameBackgroundColor: () => 'accent-soft',
  getActivityDescription: () => 'Beginning to plan',
  genToolPermission: () => ({ title: question, content: question }),
  toAutoClassifierInput: () => 'begin plan mode',

  mapToolResultToToolResultBlockParam: ({ message }, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: message,
  }),
} satisfies ToolDef<ReturnType<typeof enterPlanModeInputSchema>, EnterPlanModeOutput>);

function enter({ setPermissionMode, plan }: Pick<ToolUseContext, 'setPermissionMode' | 'plan'>) {
  setPermissionMode('plan');
  const message = `Plan mode is on. Look at what the task needs, write the plan to ${plan.path}, then call ExitPlanMode.`;
  return { data: { message } };
}

function findMistake(context: ToolUseContext): string | undefined {
  const { agentId, plan, getPermissionContext, toolDecisions, toolUseID = '' } = context;
  if (agentId !== undefined) {
    return 'Only the agent that began you may enter plan mode: say in your report that a plan is needed.';
  }
  // A resumed call may have changed the mode itself.
  const wasAllowed = toolDecisions.get(toolUseID) !== undefined;
  if (getPermissionContext().mode !== 'plan' || wasAllowed) return undefined;
  return `You are in plan mode already: write the plan to ${plan.path}, then call ExitPlanMode.`;
}
