// The definition of the tool Workflow: it finds the script, asks about it, and starts a background
// task. The session runs it by the port core/agents/workflows.ts; worker.ts has the script's
// sandbox.
import { SdkError } from '../../core/errors.ts';
import type { CanUseTool } from '../../core/permissions/permission.ts';
import { clipText } from '../../core/text/clip-text.ts';
import { toSummary } from '../../core/tool/summary.ts';
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import type { CallContext, ToolUseContext } from '../../core/tool/context.ts';
import type { ToolResult, ValidationResult } from '../../core/tool/tool.ts';
import { maxScriptChars } from '../../core/agents/workflows.ts';
import type { WorkflowProgress, WorkflowReport } from '../../core/agents/workflows.ts';
import type { readScript } from '../../repl/workflow/read-script.ts';
import { workflowDescription, workflowPrompt, workflowToolName } from './prompt.ts';
import {
  workflowInputSchema,
  workflowOutputSchema,
  type WorkflowInput,
  type WorkflowOutput,
} from './schema.ts';

// A day: the longest time of any call. A run ends with its script or at its agents' budgets, or is
// stopped.
const timeoutMs = 24 * 60 * 60_000;

export const workflowTool = buildTool({
  name: workflowToolName,
  searchHint: 'run a script of several agents',
  shouldDefer: true,
  get inputSchema() {
    return workflowInputSchema();
  },
  get outputSchema() {
    return workflowOutputSchema();
  },

  description: (input) =>
    Promise.resolve(input ? `Run a workflow: ${toTitle(input)}` : workflowDescription),
  prompt: () => Promise.resolve(workflowPrompt),

  validateInput: checkInput,
  async checkPermissions(input, context) {
    const { path, isTrusted } = await findScript(input, context);
    if (path === undefined) return { behavior: 'passthrough' };
    if (isTrusted) return { behavior: 'allow' };
    // Security: the workspace's author wrote the script. A rule on its name doesn't cover later
    // changes of the file.
    return { behavior: 'ask', message: `${path} is the workspace's, and nobody has trusted it.` };
  },
  async fillQuestion(input, context) {
    return { ...input, script: (await findScript(input, context)).script };
  },
  genToolPermission: (input) => ({
    title: `Run the workflow ${toTitle(input)}?`,
    summary: 'Its agents are asked about one by one, as any agent.',
    content: input.script ?? '',
  }),
  preparePermissionMatcher: ({ name, script, scriptPath }) =>
    Promise.resolve((pattern: string) => {
      if (script !== undefined) return false;
      // Security: a path may be a link, and an earlier run may have any name.
      if (name === undefined || scriptPath !== undefined) throw badUsage('No name is given.');
      return pattern === name;
    }),
  isConcurrencySafe: () => true,
  getTimeoutMs: () => timeoutMs,

  call: startWorkflow,
  background: {
    taskType: 'local_workflow',
    // The call must find the script first, and then continues as a task by itself.
    isAskedFor: () => false,
    holdsTurn: true,
    toStartedOutput: ({ taskId, outputPath }) => ({
      status: 'async_launched',
      taskId,
      taskType: 'local_workflow',
      outputFile: outputPath,
    }),
    toOutputText: toLine,
    describeOutcome: (output) => (output.status === 'completed' ? toResultText(output) : ''),
  },

  userFacingName: () => 'Workflow',
  userFacingNameBackgroundColor: () => 'accent-soft',
  getToolUseSummary: (input) => toSummary(toTitle(input)) || null,
  getActivityDescription: (input) => `Running the workflow ${toTitle(input)}`,
  toAutoClassifierInput: (input) => input,

  mapToolResultToToolResultBlockParam: (output, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: output.status === 'completed' ? toResultText(output) : toStartedText(output),
  }),
} satisfies ToolDef<ReturnType<typeof workflowInputSchema>, WorkflowOutput, WorkflowProgress>);

// A separate chunk with its parser, loaded with the first call.
let read: typeof readScript | undefined;

async function loadReader(): Promise<typeof readScript> {
  return (read ??= (await import('../../repl/workflow/read-script.ts')).readScript);
}

async function checkInput(
  input: WorkflowInput,
  context: ToolUseContext,
): Promise<ValidationResult> {
  if (context.agentId !== undefined) {
    return refuse(1, "A sub-agent can't run a workflow. Do the work yourself, or use Agent.");
  }
  try {
    const { script } = await findScript(input, context);
    if (script.length > maxScriptChars) {
      return refuse(
        2,
        `The script has ${script.length} characters, and may have ${maxScriptChars}.`,
      );
    }
    (await loadReader())(script);
    return { result: true };
  } catch (error) {
    if (SdkError.isInstance(error)) return refuse(3, error.message);
    throw error;
  }
}

function refuse(errorCode: number, message: string): ValidationResult {
  return { result: false, errorCode, message };
}

/** The place of the script, unless the call brings it. */
function toPlace({ script, name, scriptPath }: WorkflowInput) {
  if (script !== undefined) return undefined;
  if (scriptPath !== undefined) return { path: scriptPath };
  return name === undefined ? undefined : { name };
}

interface Source {
  readonly script: string;
  readonly args?: unknown;
  /** The path of a script of the workspace, or of the script of an earlier run. */
  readonly path?: string | undefined;
  readonly isTrusted?: boolean;
}

/** Finds the script. Rejects with an SdkError `bad-usage` if there is none. */
async function findScript(
  input: WorkflowInput,
  { workflows, toolUseID = '' }: ToolUseContext,
): Promise<Source> {
  const { script, args, resumeFromRunId } = input;
  const earlier =
    resumeFromRunId === undefined ? undefined : await workflows.recall(resumeFromRunId);
  if (resumeFromRunId !== undefined && !earlier) {
    throw badUsage(`The session has recorded no run ${clipText(resumeFromRunId, 100)}.`);
  }
  const given = args ?? earlier?.args;
  const shared = given !== undefined && { args: given };
  if (script !== undefined) return { script, ...shared };
  const place = toPlace(input);
  if (place) {
    return { ...(await workflows.find(place, toolUseID)), ...shared };
  }
  if (earlier) return { ...earlier, ...shared };
  throw badUsage('There is nothing to run: give script, name, scriptPath or resumeFromRunId.');
}

function badUsage(message: string): SdkError {
  return new SdkError('bad-usage', message);
}

async function startWorkflow(
  input: WorkflowInput,
  context: CallContext,
  canUseTool: CanUseTool,
  _parentMessage: unknown,
  onProgress?: (progress: WorkflowProgress) => void,
): Promise<ToolResult<WorkflowOutput>> {
  const { workflows, toolUseID, abortController, goOnInBackground } = context;
  const { script, args, path } = await findScript(input, context);
  const { meta } = (await loadReader())(script);
  const { resumeFromRunId } = input;
  const prepared = await workflows.prepare(
    { script, args, path, resumeFromRunId },
    { toolUseID, canUseTool },
  );
  const shared = {
    runId: prepared.runId,
    workflowName: meta.name,
    summary: meta.description,
    ...(path !== undefined && { scriptPath: path }),
  };
  const finish = (report: WorkflowReport) => ({
    data: { status: 'completed' as const, ...shared, ...report },
  });
  const started = await goOnInBackground?.(async (signal, tell) =>
    finish(await prepared.run(signal, tell)),
  );
  // A cell awaits the results of its calls. So does a call when no more tasks may run.
  if (started === undefined) {
    return finish(await prepared.run(abortController.signal, (told) => onProgress?.(told)));
  }
  return { data: { ...(started as Extract<WorkflowOutput, { taskId: string }>), ...shared } };
}

/** The run's title for a person. */
function toTitle({
  title,
  description,
  name,
  scriptPath,
  resumeFromRunId,
  script = '',
}: Partial<WorkflowInput>): string {
  const own = /\bname:\s*(['"`])([^'"`\n]{1,60})\1/u.exec(script)?.[2];
  return title ?? name ?? own ?? description ?? scriptPath ?? resumeFromRunId ?? '';
}

/** One line for the output file. */
function toLine(progress: WorkflowProgress): string {
  if (progress.type === 'agent') return `${progress.label}: ${progress.state}\n`;
  return progress.type === 'phase' ? `# ${progress.text}\n` : `${progress.text}\n`;
}

function toStartedText({
  taskId,
  runId = '',
  workflowName = '',
  outputFile,
}: Extract<WorkflowOutput, { taskId: string }>): string {
  return `The workflow ${workflowName} runs in the background as task ${taskId}, run ${runId}. How far it is goes to ${outputFile}. You are told when it ends; go on with something else, or end your turn. TaskStop stops it and its agents. A run that was stopped or failed goes on with resumeFromRunId: "${runId}".`;
}

function toResultText({
  result,
  agentCount,
  replayedCount,
  totalTokens,
  runId = '',
}: Extract<WorkflowOutput, { status: 'completed' }>): string {
  const text = typeof result === 'string' ? result : JSON.stringify(result);
  const replayed = replayedCount === 0 ? '' : ` (${replayedCount} replayed)`;
  return `${text}\n\nrun ${runId}: ${agentCount} agents${replayed}, ${totalTokens} tokens`;
}
