// What a sub-agent has come to, read from its own entries: so a resumed session reports the same.
import { isTextBlock } from '../../core/blocks.ts';
import type { TextBlock } from '../../core/blocks.ts';
import type { AgentReport, AgentState } from '../../core/agents.ts';
import { countWork, listCalls, sumUsage } from '../journal/agent-work.ts';
import type { FoldedAgent } from '../journal/fold.ts';
import { toBranchReport } from './agent-branch.ts';

/** `agent`: at rest. */
export function toReport(agent: FoldedAgent, taintedBy: string | undefined): AgentReport {
  const { record, fold } = agent;
  const { message } = fold.lastResult ?? {};
  const work = countWork(fold);
  const isDone = message?.['subtype'] === 'success' && message['is_error'] !== true;
  const isStopped =
    message === undefined || String(message['terminal_reason']).startsWith('aborted');
  const reason = isDone ? undefined : toReason(message);
  return {
    agentId: record.id,
    agentType: record.agentType,
    status: isDone ? 'completed' : isStopped ? 'stopped' : 'failed',
    content: readLastWords(agent),
    ...(reason !== undefined && { reason }),
    resolvedModel: record.model,
    modelsUsed: [...new Set(fold.usage.map(({ model }) => model))],
    toolsUsed: [...new Set(listCalls(fold).map(({ name }) => name))],
    totalToolUseCount: work.tool_uses,
    totalDurationMs: work.duration_ms,
    totalTokens: work.total_tokens,
    usage: sumUsage(fold),
    ...(taintedBy !== undefined && { taintedBy }),
    ...toBranchReport(agent),
  };
}

/** How it stands. */
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

/** The text of its report, as its reader is told it. */
export function toReportText({ content, status, reason, mergeNote }: AgentReport): string {
  const words = content.map(({ text }) => text).join('\n');
  const merge = mergeNote === undefined ? '' : `\n\n${mergeNote}`;
  if (status === 'completed') return `${words || 'The agent ended without a word.'}${merge}`;
  const why = reason ?? 'It was stopped.';
  return `${words === '' ? why : `${why}\nWhat it had said last:\n${words}`}${merge}`;
}

/** Of its newest reply that has any. */
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
