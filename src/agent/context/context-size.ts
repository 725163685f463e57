// How many tokens the conversation has: as the server counted its newest request, and an estimate of what
// came since. Used to decide when to compact it and what of it.
import { documentCharactersPerToken, tokensPerImage } from '../../core/messages/media-tokens.ts';
import { isRecord } from '../../core/values/is-record.ts';
import type { SessionFold } from '../journal/fold.ts';

// 4 characters of JSON a token: measured on English, code and tool results; the server's count corrects it.
const CHARS_PER_TOKEN = 4;

/** A rough count of what one message or block takes. The base64 of an image or a PDF doesn't count as text. */
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

/** The tokens of the next request, near enough. */
export function measureContext(fold: SessionFold): number {
  const { messages, sources } = fold;
  const { tokens, after } = findCounted(fold) ?? { tokens: 0, after: -1 };
  let news = 0;
  // The newest stand at the end.
  for (let at = messages.length - 1; at >= 0 && (sources[at] ?? 0) > after; at -= 1) {
    news += estimateTokens(messages[at]);
  }
  return tokens + news;
}

/** What was counted last, and the number of the last entry that is in it. */
interface Counted {
  readonly tokens: number;
  readonly after: number;
}

/** What the server counted with the newest reply, or what was reckoned when the conversation was shortened. */
function findCounted({ agent, entries }: SessionFold): Counted | undefined {
  // Counts what was taken out while the counted reply came, too, as its request still had that.
  let freed = 0;
  let counted: Counted | undefined;
  for (let at = entries.length - 1; at >= 0; at -= 1) {
    const entry = entries[at];
    if (!entry || entry.agent !== agent) continue;
    if (entry.type === 'rewound') {
      // From here on the conversation before the rewind's target counts. If no entry of it is at
      // hand any more, there is no count.
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
      // A server that doesn't count says nothing, or 0.
      if (!(input > 0)) return undefined;
      counted = { tokens: input + output_tokens, after: findReply(entries, at) };
    }
  }
  return counted && { ...counted, tokens: Math.max(0, counted.tokens - freed) };
}

/** The number of the reply that the usage is about: what follows it wasn't counted. */
function findReply(entries: SessionFold['entries'], usageAt: number): number {
  const near = entries.slice(Math.max(0, usageAt - 1), usageAt + 2);
  const reply = near.find(({ type }) => type === 'reply');
  return reply?.n ?? entries[usageAt]?.n ?? 0;
}
