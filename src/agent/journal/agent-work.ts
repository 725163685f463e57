// Counts a sub-agent's work in its own entries, for its report and for viewers.
import { isToolUseBlock } from '../../core/messages/blocks.ts';
import type { ToolUseBlock } from '../../core/messages/blocks.ts';
import type { Usage } from '../../core/messages/messages.ts';
import type { SDKTaskUsage } from '../../core/messages/sdk-message.ts';
import type { SessionFold } from './fold.ts';

/** `fold`: the agent's own. Agents that it has started are counted separately. */
export function countWork(fold: SessionFold): SDKTaskUsage {
  const usage = sumUsage(fold);
  return {
    total_tokens:
      usage.input_tokens +
      usage.output_tokens +
      (usage.cache_creation_input_tokens ?? 0) +
      (usage.cache_read_input_tokens ?? 0),
    tool_uses: listCalls(fold).length,
    duration_ms: fold.time - (fold.entries[0]?.time ?? fold.time),
  };
}

/** The calls that have or will have a result, oldest first. */
export function listCalls({ entries }: SessionFold): readonly ToolUseBlock[] {
  return entries.flatMap((entry) =>
    entry.type === 'reply' && entry.end !== 'void'
      ? entry.message.content.filter(isToolUseBlock)
      : [],
  );
}

export function sumUsage(fold: SessionFold): Usage {
  const sum = (read: (usage: Usage) => number | null | undefined) =>
    fold.usage.reduce((total, { usage }) => total + (read(usage) ?? 0), 0);
  return {
    input_tokens: sum((usage) => usage.input_tokens),
    output_tokens: sum((usage) => usage.output_tokens),
    cache_creation_input_tokens: sum((usage) => usage.cache_creation_input_tokens),
    cache_read_input_tokens: sum((usage) => usage.cache_read_input_tokens),
  };
}
