// Makes a sub-agent's report from its own entries, so that a resumed session reports the same.
import { isTextBlock } from '../../core/messages/blocks.ts';
import type { TextBlock } from '../../core/messages/blocks.ts';
import type { AgentReport, AgentState } from '../../core/agents/agents.ts';
import type { Session } from '../session/session.ts';
import { countWork, listCalls, sumUsage } from '../journal/agent-work.ts';
import type { FoldedAgent } from '../journal/folded.ts';
import { countTools } from './tool-stats.ts';
import { toBranchReport } from './agent-branch.ts';

/** `agent` must be idle. The second parameter has the agent's tools. */
export function toReport(
  agent: FoldedAgent,
  { builtInTools, ownTools }: Pick<Session, 'builtInTools' | 'ownTools'>,
  taintedBy?: string,
): AgentReport {
  const { record, fold } = agent;
  const { message } = fold.lastResult ?? {};
  const work = countWork(fold);
  const status = toReportStatus(agent);
  const reason = status === 'completed' ? undefined : toReason(message);
  return {
    agentId: record.id,
    agentType: record.agentType,
    status,
    content: readAnswer(agent, status) ?? readLastWords(agent),
    ...(status === 'completed' &&
      record.outputFormat && { structuredOutput: message?.['structured_output'] }),
    ...(reason !== undefined && { reason }),
    resolvedModel: record.model,
    modelsUsed: [...new Set(fold.usage.map(({ model }) => model))],
    toolsUsed: [...new Set(listCalls(fold).map(({ name }) => name))],
    toolStats: countTools(agent, [...builtInTools, ...ownTools]),
    totalToolUseCount: work.tool_uses,
    totalDurationMs: work.duration_ms,
    totalTokens: work.total_tokens,
    usage: sumUsage(fold),
    ...(taintedBy !== undefined && { taintedBy }),
    ...toBranchReport(agent),
  };
}

/** The end of the agent's last turn. */
export function toReportStatus({ fold }: FoldedAgent): AgentReport['status'] {
  const { message } = fold.lastResult ?? {};
  const isDone = message?.['subtype'] === 'success' && message['is_error'] !== true;
  if (isDone) return 'completed';
  const isStopped =
    message === undefined || String(message['terminal_reason']).startsWith('aborted');
  return isStopped ? 'stopped' : 'failed';
}

/** The state of the agent. */
export function toAgentState({ record, parent }: FoldedAgent, isRunning: boolean): AgentState {
  return {
    agentId: record.id,
    ...(record.name !== undefined && { name: record.name }),
    agentType: record.agentType,
    description: record.description,
    ...(parent !== undefined && { parentId: parent }),
    depth: record.depth,
    isRunning,
  };
}

/** The text of its report, for the reader. */
export function toReportText({ content, status, reason, mergeNote }: AgentReport): string {
  const words = content.map(({ text }) => text).join('\n');
  const merge = mergeNote === undefined ? '' : `\n\n${mergeNote}`;
  if (status === 'completed') return `${words || 'The agent ended without a word.'}${merge}`;
  const why = reason ?? 'It was stopped.';
  return `${words === '' ? why : `${why}\nWhat it had said last:\n${words}`}${merge}`;
}

/** The answer of an agent with an output format, as JSON. */
function readAnswer(
  { record, fold }: FoldedAgent,
  status: AgentReport['status'],
): readonly TextBlock[] | undefined {
  const text = fold.lastResult?.message['result'];
  if (!record.outputFormat || status !== 'completed' || typeof text !== 'string') return undefined;
  return [{ type: 'text', text }];
}

/** The text of the newest reply that has any. */
function readLastWords({ fold }: FoldedAgent): readonly TextBlock[] {
  for (let at = fold.entries.length - 1; at >= 0; at -= 1) {
    const entry = fold.entries[at];
    if (entry?.type !== 'reply' || entry.end === 'void') continue;
    const words = entry.message.content.filter(isTextBlock).filter(({ text }) => text !== '');
    if (words.length > 0) return words;
  }
  return [];
}

function toReason(message: { readonly [field: string]: unknown } | undefined): string {
  const errors = message?.['errors'];
  if (Array.isArray(errors) && typeof errors[0] === 'string') return errors[0];
  const result = message?.['result'];
  return typeof result === 'string' && result !== '' ? result : 'It was stopped.';
}
