// The definition of the tool ExitPlanMode. It shows the session's plan to the person. Their
// approval ends plan mode, and the turn continues.
import { ToolError } from '../../core/errors.ts';
import { isRecord } from '../../core/values/is-record.ts';
import type { PermissionMode } from '../../core/permissions/permission.ts';
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import type { ToolUseContext } from '../../core/tool/context.ts';
import {
  exitPlanModeDescription,
  exitPlanModePrompt,
  exitPlanModeToolName,
  nobodyAccepts,
} from './prompt.ts';
import {
  exitPlanModeAnswerSchema,
  exitPlanModeInputSchema,
  exitPlanModeOutputSchema,
  type AskedPlan,
  type ExitPlanModeOutput,
} from './schema.ts';

export const exitPlanModeTool = buildTool({
  name: exitPlanModeToolName,
  searchHint: 'show the finished plan for acceptance',
  shouldDefer: true,
  get inputSchema() {
    return exitPlanModeInputSchema();
  },
  get answerSchema() {
    return exitPlanModeAnswerSchema();
  },
  get outputSchema() {
    return exitPlanModeOutputSchema();
  },

  description: (input) =>
    Promise.resolve(
      input ? 'The agent begins with it when you accept it.' : exitPlanModeDescription,
    ),
  prompt: () => Promise.resolve(exitPlanModePrompt),

  async validateInput({ plan }: AskedPlan, context) {
    const message = isPlanning(context) ? undefined : describeNoPlanning(context);
    const mistake = message ?? (plan !== undefined && isBlank(plan) ? emptyAnswer : undefined);
    return Promise.resolve(
      mistake === undefined
        ? { result: true as const }
        : { result: false as const, errorCode: message === undefined ? 2 : 1, message: mistake },
    );
  },
  requiresUserInteraction: () => true,
  changesOnlySession: () => true,
  // The plan may still be written by another call of the same message.
  isAskedInTurn: true,

  async fillQuestion(_input, context) {
    const plan = await readAskedPlan(context);
    if (!isBlank(plan)) return { plan, planFilePath: context.plan.path };
    throw new ToolError(
      `There is no plan yet: write it to ${context.plan.path}, then call ExitPlanMode again.`,
    );
  },
  refuseUnattended: ({ plan }) => ({ message: nobodyAccepts, result: String(plan) }),

  call: (input, context) => accept(input, context),
  // Idempotent: repeated steps have the same result.
  resumeCall: (input, context) => accept(input, context),

  userFacingName: () => 'Plan',
  userFacingNameBackgroundColor: () => 'accent-soft',
  getActivityDescription: () => 'Showing the plan',
  genToolPermission: () => ({
    title: 'Go ahead with this plan?',
    content: 'The agent begins with it when you accept it.',
  }),
  extractSearchText: ({ plan }) => plan ?? '',
  toAutoClassifierInput: () => 'put the plan to the user',

  mapToolResultToToolResultBlockParam: ({ plan, filePath, planWasEdited }, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: planWasEdited
      ? `The user has changed the plan and accepted it. Plan mode is over: begin with the work. The plan is in ${filePath}, and says now:\n\n${plan}`
      : `The user has accepted the plan. Plan mode is over: begin with the work. The plan stays in ${filePath}.`,
  }),
} satisfies ToolDef<ReturnType<typeof exitPlanModeInputSchema>, ExitPlanModeOutput>);

/** The session's newest accepted plan, as a state of the session. */
interface AcceptedPlan {
  /** The call that was accepted. */
  readonly callId: string;
  /** The plan that the person was asked about, and their version of it. */
  readonly asked: string;
  readonly plan: string;
}

const stateKey = 'plan';

async function accept(
  { plan: answered }: AskedPlan,
  context: ToolUseContext,
): Promise<{ data: ExitPlanModeOutput }> {
  const { plan: file, states, toolUseID = '', getPermissionContext, setPermissionMode } = context;
  const asked = await readAskedPlan(context);
  const plan = answered ?? asked;
  const planWasEdited = plan !== asked;
  // Recorded first, because a resumed call reads the plan of the question from it.
  const state: AcceptedPlan = { callId: toolUseID, asked, plan };
  await states.set(stateKey, state, remind(plan, file.path));
  if ((await file.read()) !== plan) await file.write(plan);
  setPermissionMode(toNextMode(getPermissionContext()));
  const edited = planWasEdited && { planWasEdited };
  return { data: { plan, isAgent: false, filePath: file.path, ...edited } };
}

/** The mode that the answer has set. Otherwise the mode before plan mode. */
function toNextMode({
  mode,
  modeBeforePlan = 'default',
}: ReturnType<ToolUseContext['getPermissionContext']>): PermissionMode {
  return mode === 'plan' ? modeBeforePlan : mode;
}

/** The reminder for the model, after a compaction. */
function remind(plan: string, path: string): string {
  return `# The plan that the user has accepted\n\nIt is in ${path}:\n\n${plan}`;
}

/** The plan as the person gets or has got it. */
async function readAskedPlan({ states, toolUseID, plan }: ToolUseContext): Promise<string> {
  const accepted = readState(states.get(stateKey));
  return accepted && accepted.callId === toolUseID ? accepted.asked : plan.read();
}

function readState(state: unknown): AcceptedPlan | undefined {
  return isRecord(state) ? (state as unknown as AcceptedPlan) : undefined;
}

/** True in plan mode, or if the answer to this call has just ended it. */
function isPlanning({ getPermissionContext, states, ...call }: ToolUseContext): boolean {
  const { toolUseID, agentId } = call;
  if (agentId !== undefined) return false;
  const { mode, modeBeforePlan } = getPermissionContext();
  const accepted = readState(states.get(stateKey));
  const isAccepted = accepted !== undefined && accepted.callId === toolUseID;
  return mode === 'plan' || modeBeforePlan !== undefined || isAccepted;
}

function describeNoPlanning({ states, agentId }: ToolUseContext): string {
  if (agentId !== undefined) return 'Your report is your plan: end with it.';
  return states.get(stateKey) === undefined
    ? 'You are not in plan mode: do the work, or call EnterPlanMode first.'
    : 'Plan mode is over already: go on with the work under the rules of the session.';
}

const emptyAnswer =
  'The plan that came back with the answer is empty. Ask the user what they want instead.';

function isBlank(plan: string): boolean {
  return plan.trim() === '';
}
