// Computes what fills the model's window. The sum is the server's newest count and an estimate of
// later messages; the parts are estimates. Used by `/context` and by meters in user interfaces.
import { isTextBlock, isToolResultBlock, isToolUseBlock } from '../../core/messages/blocks.ts';
import type { ContentBlock, UserBlock } from '../../core/messages/blocks.ts';
import { readSummaryMessage } from '../../core/messages/compaction-messages.ts';
import type { MessageParam } from '../../core/messages/messages.ts';
import type { SDKControlGetContextUsageResponse } from '../../core/messages/sdk-message.ts';
import { readSystemReminder } from '../../core/messages/system-reminder.ts';
import type { Session } from '../session/session.ts';
import { compactionThreshold } from './compact.ts';
import { estimateTokens, measureContext } from './context-size.ts';

type Part = 'summary' | 'prompts' | 'replies' | 'calls' | 'results' | 'reminders';

const names: Readonly<Record<Part, string>> = {
  summary: 'summary of what came before',
  prompts: 'prompts',
  replies: 'replies',
  calls: 'calls of tools',
  results: 'results of tools',
  reminders: 'instructions and reminders',
};

/** The current usage. System prompt and tools are counted from the first reply on. */
export function getContextUsage({
  journal,
  messages,
  model,
}: Pick<Session, 'journal' | 'messages' | 'model'>): SDKControlGetContextUsageResponse {
  const totalTokens = measureContext(journal.fold);
  const parts = sumParts(messages);
  const said = Object.values(parts).reduce((sum, tokens) => sum + tokens, 0);
  const categories = [
    { name: 'system prompt and tools', tokens: Math.max(0, totalTokens - said) },
    ...(Object.keys(names) as Part[]).map((part) => ({ name: names[part], tokens: parts[part] })),
  ].filter(({ tokens }) => tokens > 0);
  const { contextWindow, maxTokens } = model;
  const ofWindow = contextWindow !== undefined && {
    maxTokens: contextWindow,
    percentage: (totalTokens / contextWindow) * 100,
    autoCompactThreshold: compactionThreshold({ contextWindow, maxTokens }),
  };
  return { model: model.name, categories, totalTokens, ...ofWindow };
}

function sumParts(messages: readonly MessageParam[]): Record<Part, number> {
  const parts = { summary: 0, prompts: 0, replies: 0, calls: 0, results: 0, reminders: 0 };
  for (const message of messages) {
    const { role, content } = message;
    if (readSummaryMessage(message)) parts.summary += estimateTokens(content);
    else if (typeof content === 'string') parts[partOf(role, content)] += estimateTokens(content);
    else for (const block of content) parts[partOf(role, block)] += estimateTokens(block);
  }
  return parts;
}

function partOf(role: MessageParam['role'], block: string | ContentBlock | UserBlock): Part {
  if (typeof block !== 'string' && isToolResultBlock(block)) return 'results';
  if (role === 'assistant') {
    return typeof block !== 'string' && isToolUseBlock(block) ? 'calls' : 'replies';
  }
  const isReminder =
    typeof block !== 'string' && isTextBlock(block) && readSystemReminder(block.text) !== undefined;
  return isReminder ? 'reminders' : 'prompts';
}
