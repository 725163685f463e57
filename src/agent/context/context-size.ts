// How many tokens the conversation has: as the server counted its newest request, and an estimate of what
// came since. Used to decide when to compact it and what of it.
import type { MessageParam } from '../../core/messages.ts';
import type { SessionFold } from '../journal/fold.ts';

// 4 characters of JSON a token: measured on English, code and tool results; the server's count corrects it.
const CHARS_PER_TOKEN = 4;

/** A rough count of what one message or block takes. */
export function estimateTokens(value: unknown): number {
  return Math.ceil(JSON.stringify(value).length / CHARS_PER_TOKEN);
}

/** The tokens of the next request, near enough. */
export function measureContext(fold: SessionFold): number {
  const counted = findCounted(fold);
  if (!counted) return sum(fold.messages);
  const { tokens, after } = counted;
  return tokens + sum(fold.messages.filter((_, index) => (fold.sources[index] ?? 0) > after));
}

/** What the server counted last, with the reply, where the conversation still begins the same way. */
function findCounted({ entries }: SessionFold): { tokens: number; after: number } | undefined {
  for (let at = entries.length - 1; at >= 0; at -= 1) {
    const entry = entries[at];
    if (entry?.agent !== undefined) continue;
    if (entry?.type === 'compacted' || entry?.type === 'cleared' || entry?.type === 'rewound') {
      return undefined;
    }
    if (entry?.type !== 'usage' || entry.purpose !== 'turn') continue;
    const { input_tokens, output_tokens, ...counters } = entry.usage;
    const cached =
      (counters.cache_read_input_tokens ?? 0) + (counters.cache_creation_input_tokens ?? 0);
    const after = findReply(entries, at);
    return { tokens: input_tokens + cached + output_tokens, after };
  }
  return undefined;
}

/** The number of the reply that the usage is about: what follows it wasn't counted. */
function findReply(entries: SessionFold['entries'], usageAt: number): number {
  const near = entries.slice(Math.max(0, usageAt - 1), usageAt + 2);
  const reply = near.find(({ type }) => type === 'reply');
  return reply?.n ?? usageAt + 1;
}

function sum(messages: readonly MessageParam[]): number {
  return messages.reduce((tokens, message) => tokens + estimateTokens(message), 0);
}
