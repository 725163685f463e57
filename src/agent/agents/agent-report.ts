// What a sub-agent has come to, read from its own entries: so a resumed session reports the same.
import { isTextBlock, isToolUseBlock } from '../../core/blocks.ts';
import type { TextBlock } from '../../core/blocks.ts';
import type { AgentReport } from '../../core/agents.ts';
import type { Usage } from '../../core/messages.ts';
import type { FoldedAgent } from '../journal/fold.ts';
import { toBranchReport } from './agent-branch.ts';

/** `agent`: at rest. */
export function toReport(agent: FoldedAgent, taintedBy: string | undefined): AgentReport {
  const { record, fold } = agent;
  const { message } = fold.lastResult ?? {};
  const calls = fold.entries.flatMap((entry) =>
    entry.type === 'reply' && entry.end !== 'void'
      ? entry.message.content.filter(isToolUseBlock)
      : [],
  );
  const usage = sumUsage(fold.usage.map((one) => one.usage));
  const begun = fold.entries[0]?.time ?? fold.time;
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
    toolsUsed: [...new Set(calls.map(({ name }) => name))],
    totalToolUseCount: calls.length,
    totalDurationMs: fold.time - begun,
    totalTokens:
      usage.input_tokens +
      usage.output_tokens +
      (usage.cache_creation_input_tokens ?? 0) +
      (usage.cache_read_input_tokens ?? 0),
    usage,
    ...(taintedBy !== undefined && { taintedBy }),
    ...toBranchReport(agent),
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

function sumUsage(all: readonly Usage[]): Usage {
  const sum = (read: (usage: Usage) => number | null | undefined) =>
    all.reduce((total, usage) => total + (read(usage) ?? 0), 0);
  return {
    input_tokens: sum((usage) => usage.input_tokens),
    output_tokens: sum((usage) => usage.output_tokens),
    cache_creation_input_tokens: sum((usage) => usage.cache_creation_input_tokens),
    cache_read_input_tokens: sum((usage) => usage.cache_read_input_tokens),
  };
}
