// `/context`: what fills the model's window. The sum is the server's newest count and an estimate of what came
// since; the parts are estimates.
import { isTextBlock, isToolResultBlock, isToolUseBlock } from '../../../core/messages/blocks.ts';
import type { ContentBlock, UserBlock } from '../../../core/messages/blocks.ts';
import type { MessageParam } from '../../../core/messages/messages.ts';
import { readSummaryMessage } from '../../../core/messages/compaction-messages.ts';
import { readSystemReminder } from '../../../core/messages/system-reminder.ts';
import { estimateTokens, measureContext } from '../../context/context-size.ts';
import type { CommandRun } from '../built-in-commands.ts';
import { formatCount } from './format.ts';

type Part = 'summary' | 'prompts' | 'replies' | 'calls' | 'results' | 'reminders';

const names: Readonly<Record<Part, string>> = {
  summary: 'summary of what came before',
  prompts: 'prompts',
  replies: 'replies',
  calls: 'calls of tools',
  results: 'results of tools',
  reminders: 'instructions and reminders',
};

export function runContext({ session }: CommandRun): string {
  const { model, messages } = session;
  const total = measureContext(session.journal.fold);
  const parts = sumParts(messages);
  const said = Object.values(parts).reduce((sum, tokens) => sum + tokens, 0);
  const head = Math.max(0, total - said);
  const { contextWindow } = model;
  const share = (tokens: number) =>
    contextWindow === undefined ? '' : ` (${Math.round((tokens / contextWindow) * 100)} %)`;
  const whole =
    contextWindow === undefined
      ? `The conversation takes about ${formatCount(total)} tokens; how many ${model.name} takes isn’t known.`
      : `The conversation takes about ${formatCount(total)} of the ${formatCount(contextWindow)} tokens of ${model.name}${share(total)}.`;
  const lines = [
    ...(head > 0 ? [['system prompt and tools', head] as const] : []),
    ...(Object.keys(names) as Part[]).map((part) => [names[part], parts[part]] as const),
  ];
  return [
    whole,
    ...lines
      .filter(([, tokens]) => tokens > 0)
      .map(([name, tokens]) => `${name}: about ${formatCount(tokens)}${share(tokens)}`),
    ...(session.journal.fold.usage.length === 0
      ? ['System prompt and tools are counted with the first reply.']
      : []),
  ].join('\n');
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
