// The definition of the tool Agent, which starts a sub-agent for one task. It has no worker half,
// because agents belong to the session. It uses the port core/agents/agents.ts.
import type { AgentReport } from '../../core/agents/agents.ts';
import { SdkError } from '../../core/errors.ts';
import { toSummary } from '../../core/tool/summary.ts';
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import type { CallContext } from '../../core/tool/context.ts';
import type { ToolResult } from '../../core/tool/tool.ts';
import { agentDescription, agentPrompt, agentToolName } from './prompt.ts';
import {
  agentInputSchema,
  agentOutputSchema,
  type AgentInput,
  type AgentOutput,
} from './schema.ts';

// A day: the longest time of any call. An agent ends at its limits of requests or budget, or is
// stopped.
const timeoutMs = 24 * 60 * 60_000;

export const agentTool = buildTool({
  name: agentToolName,
  aliases: ['Task'],
  searchHint: 'delegate a task to another agent',
  get inputSchema() {
    return agentInputSchema();
  },
  get outputSchema() {
    return agentOutputSchema();
  },

  description: (input) =>
    Promise.resolve(input ? `Start an agent: ${input.description}` : agentDescription),
  prompt: () => Promise.resolve(agentPrompt),

  validateInput({ description, prompt }) {
    const missing = description.trim() === '' ? 'description' : 'prompt';
    if (description.trim() !== '' && prompt.trim() !== '') return Promise.resolve({ result: true });
    const message = `${missing} is empty: say what the agent is to do.`;
    return Promise.resolve({ result: false, errorCode: 1, message });
  },
  // Each call of the agent is authorised, with at most its caller's permissions.
  checkPermissions: () => Promise.resolve({ behavior: 'allow' }),
  changesOnlySession: () => true,
  // Agents whose callers wait for them run in parallel.
  isConcurrencySafe: () => true,
  preparePermissionMatcher: ({ subagent_type = 'general-purpose' }) =>
    Promise.resolve((pattern: string) => pattern === subagent_type),
  getTimeoutMs: () => timeoutMs,

  call: runAgent,
  // The same call finds the agent that it has started.
  resumeCall: runAgent,

  userFacingName: (input) => input?.subagent_type ?? 'Agent',
  getToolUseSummary: (input) => toSummary(input.description ?? '') || null,
  userFacingNameBackgroundColor: () => 'accent-soft',
  getToolUseTag: ({ model, run_in_background, isolation }) =>
    [
      model,
      isolation === 'worktree' && 'on a branch',
      run_in_background === true && 'in the background',
    ]
      .filter(Boolean)
      .join(', ') || null,
  getActivityDescription: (input) => `Running ${input.subagent_type ?? 'an'} agent`,
  toAutoClassifierInput: ({ prompt }) => prompt,

  mapToolResultToToolResultBlockParam: (output, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: toText(output),
  }),
} satisfies ToolDef<ReturnType<typeof agentInputSchema>, AgentOutput>);

async function runAgent(
  input: AgentInput,
  { agents, toolUseID, abortController }: CallContext,
): Promise<ToolResult<AgentOutput>> {
  const { description, prompt, subagent_type, model, run_in_background, name, isolation } = input;
  const ended = await agents.run(
    {
      description,
      prompt,
      agentType: subagent_type,
      model,
      name,
      isolation,
      isBackground: run_in_background,
    },
    { toolUseID, signal: abortController.signal },
  );
  if (!('status' in ended)) {
    const { agentId, resolvedModel, outputPath: outputFile } = ended;
    const launched = { status: 'async_launched', isAsync: true, canReadOutputFile: true } as const;
    return { data: { ...launched, agentId, description, resolvedModel, prompt, outputFile } };
  }
  if (ended.status !== 'completed') throw toError(ended);
  const { taintedBy: _, reason: __, status, ...report } = ended;
  return {
    data: {
      ...report,
      status,
      prompt,
      content: report.content.map(({ text }) => ({ type: 'text', text })),
      modelsUsed: [...report.modelsUsed],
      toolsUsed: [...report.toolsUsed],
    },
  };
}

function toError({ agentId, status, reason = '', content, mergeNote }: AgentReport): SdkError {
  const said = content.map(({ text }) => text).join('\n');
  const verb = status === 'stopped' ? 'was stopped' : 'failed';
  const words = said === '' ? '' : `\nWhat it had said last:\n${said}`;
  const merge = mergeNote === undefined ? '' : `\n${mergeNote}`;
  return new SdkError('tool-failed', `The agent ${agentId} ${verb}. ${reason}${words}${merge}`, {
    data: { agentId },
  });
}

function toText(output: AgentOutput): string {
  if (output.status === 'async_launched') {
    return `Agent ${output.agentId} runs beside you. You are told when it ends; its report will be in ${output.outputFile}. Go on with something else, or end your turn.`;
  }
  const { agentId, content, totalTokens, totalToolUseCount, mergeNote, worktreeBranch } = output;
  const words = content.map(({ text }) => text).join('\n');
  const facts = [
    `agentId: ${agentId} (SendMessage goes on with it)`,
    `${totalToolUseCount} calls, ${totalTokens} tokens`,
    ...(mergeNote === undefined ? [] : [mergeNote]),
    ...(worktreeBranch === undefined ? [] : [`branch: ${worktreeBranch}`]),
  ];
  return `${words === '' ? 'The agent ended without a word.' : words}\n\n${facts.join('\n')}`;
}
