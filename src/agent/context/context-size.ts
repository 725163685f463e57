// Estimates the tokens of the conversation: the server's count for its newest request, plus an
// estimate of later messages. It decides when to compact the conversation.
import { documentCharactersPerToken, tokensPerImage } from '../../core/messages/media-tokens.ts';
import { isRecord } from '../../core/values/is-record.ts';
import type { SessionFold } from '../journal/fold.ts';

// 4 characters of JSON per token: measured on English, code and tool results. The server's count
// corrects it.
const CHARS_PER_TOKEN = 4;

/**
 * A rough estimate for one message or block. The base64 of an image or a PDF doesn't count as text.
 */
export function estimateTokens(value: unknown): number {
  let media = 0;
  const text = JSON.stringify(value, (_, inner: unknown) => {
    if (!isRecord(inner) || !isRecord(inner['source'])) return inner;
    const { type, source } = inner;
    const { data } = source;
    if (type === 'image') media += tokensPerImage;
    if (source['type'] !== 'base64' || typeof data !== 'string') return inner;
    if (type === 'document') media += data.length / documentCharactersPerToken;
    return { ...inner, source: { ...source, data: '' } };
  });
  return Math.ceil(text.length / CHARS_PER_TOKEN + media);
}

/** Estimates the tokens of the next request. */
export function measureContext(fold: SessionFold): number {
  const { messages, sources } = fold;
  const { tokens, after } = findCounted(fold) ?? { tokens: 0, after: -1 };
  let news = 0;
  // The newest messages are at the end.
  for (let at = messages.length - 1; at >= 0 && (sources[at] ?? 0) > after; at -= 1) {
    news += estimateTokens(messages[at]);
  }
  return tokens + news;
}

/** The last count, and the number of the last entry that it includes. */
interface Counted {
  readonly tokens: number;
  readonly after: number;
}

/**
 * The server's count with the newest reply, or the estimate when the conversation was shortened.
 */
function findCounted({ agent, entries }: SessionFold): Counted | undefined {
  // Includes what was removed while the counted reply arrived, because its request still had that.
  let freed = 0;
  let counted: Counted | undefined;
  for (let at = entries.length - 1; at >= 0; at -= 1) {
    const entry = entries[at];
    if (!entry || entry.agent !== agent) continue;
    if (entry.type === 'rewound') {
      // From here on the conversation before the rewind's target counts. If none of its entries is
      // in memory, there is no count.
      at = entries.findLastIndex(({ n }) => n <= entry.to) + 1;
    } else if (entry.type === 'snipped') {
      freed += entry.freedTokens;
    } else if (counted) {
      if (entry.type === 'request') break;
    } else if (entry.type === 'compacted' || entry.type === 'cleared') {
      const { postTokens } = entry;
      if (postTokens === undefined) return undefined;
      counted = { tokens: postTokens, after: entry.n };
      break;
    } else if (entry.type === 'usage' && entry.purpose === 'turn') {
      const { input_tokens, output_tokens, ...counters } = entry.usage;
      const cached =
        (counters.cache_read_input_tokens ?? 0) + (counters.cache_creation_input_tokens ?? 0);
      const input = input_tokens + cached;
      // A server that doesn't count sends nothing, or 0.
      if (!(input > 0)) return undefined;
      counted = { tokens: input + output_tokens, after: findReply(entries, at) };
    }
  }
  return counted && { ...counted, tokens: Math.max(0, counted.tokens - freed) };
}

/** The number of the reply of this usage: later entries weren't counted. */
function findReply(entries: SessionFold['entries'], usageAt: number): number {
  const near = entries.slice(Math.max(0, usageAt - 1), usageAt + 2);
  const reply = near.find(({ type }) => type === 'reply');
  return reply?.n ?? entries[usageAt]?.n ?? 0;
}
