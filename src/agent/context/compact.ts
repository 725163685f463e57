// Compaction: the older part of the conversation gives way to a summary, which the model itself writes. What
// stays and when it is due is decided here; the loop asks and records.
import { isToolResultBlock, textOf } from '../../core/messages/blocks.ts';
import { countMediaChars } from '../../core/messages/media.ts';
import type { AssistantMessage, MessageParam } from '../../core/messages/messages.ts';
import { readSummaryMessage, toSummaryMessage } from '../../core/messages/compaction-messages.ts';
import type { ConversationSummary } from '../../core/messages/compaction-messages.ts';
import type { SessionFold } from '../journal/fold.ts';
import { estimateTokens } from './context-size.ts';

// 20 000 tokens: some ten calls with their results, so that the work goes on where it stood.
const KEPT_TOKENS = 20_000;

// 16 000 000 characters of base64: half of the 32 MB that the API takes in one request.
const KEPT_MEDIA = 16_000_000;

// 1 000 000: fewer characters of images are no reason for an overflow.
const LEAST_MEDIA = 1_000_000;

// 2 000 tokens: a summary takes as much itself, so less isn't worth one.
const LEAST_TOKENS = 2_000;

/** The room that a request and its reply need in the model's window, in tokens. */
export interface Room {
  readonly contextWindow: number;
  /** The longest reply that is asked for. @defaultValue 16384, as createAnthropicModel has it */
  readonly maxTokens?: number | undefined;
}

/** The tokens above which a request would leave less than a reply and a twentieth of the window free. */
export function compactionThreshold({ contextWindow, maxTokens = 16_384 }: Room): number {
  return Math.max(0, contextWindow - maxTokens - contextWindow / 20);
}

/** Is a request of so many tokens above that? */
export function isCompactionDue(tokens: number, room: Room): boolean {
  return tokens > compactionThreshold(room);
}

/**
 * Has the last compaction since the newest prompt freed less than a fifth? Then another one would free no
 * more: it is left to a person, or to the next prompt.
 */
export function isCompactionFutile({ agent, entries }: SessionFold): boolean {
  const last = entries.findLast(
    (entry) => entry.agent === agent && (entry.type === 'compacted' || entry.type === 'turn'),
  );
  if (last?.type !== 'compacted') return false;
  const { preTokens, postTokens } = last;
  if (preTokens === undefined || postTokens === undefined) return false;
  return postTokens > preTokens * 0.8;
}

/** Is the newest compaction still without a request after it? Then another one would sum up its summary. */
export function hasJustCompacted({ agent, entries }: SessionFold): boolean {
  const last = entries.findLast(
    (entry) => entry.agent === agent && (entry.type === 'compacted' || entry.type === 'request'),
  );
  return last?.type === 'compacted';
}

/** What is summed up, and what stays. */
export interface CompactionPlan {
  /** The first of the messages that stay. */
  readonly first: number;
  /** Messages of this entry and later ones stay as they are. */
  readonly keepFrom: number;
  /** The newest prompt, where it isn't among those. It stays word for word. */
  readonly prompt: MessageParam | undefined;
}

/**
 * Undefined where everything would stay: there is nothing to sum up. `contextWindow`: of a small one a quarter
 * stays at most. `isOverflow`: the server has refused what there is, so of many images half stay at most.
 */
export function planCompaction(
  fold: SessionFold,
  contextWindow = Infinity,
  isOverflow = false,
): CompactionPlan | undefined {
  const { messages, sources } = fold;
  const room = Math.min(KEPT_TOKENS, contextWindow / 4);
  const half = countAll(messages) / 2;
  const mediaRoom = isOverflow ? Math.max(LEAST_MEDIA, Math.min(KEPT_MEDIA, half)) : KEPT_MEDIA;
  let tokens = 0;
  let media = 0;
  let first = messages.length;
  while (first > 0) {
    const message = messages[first - 1] as MessageParam;
    tokens += estimateTokens(message);
    media += countMediaChars(message);
    if (tokens > room || media > mediaRoom) break;
    first -= 1;
  }
  // What came last stays, however long it is: nobody has answered it yet.
  first = Math.min(first, messages.length - 1);
  if (first <= 0) return undefined;
  // An earlier summary is summed up as a whole.
  while (sources[first] === 0) first += 1;
  first = toWholePairs(fold, first);
  const gone = messages.slice(0, first);
  if (estimateTokens(gone) < LEAST_TOKENS && countAll(gone) < LEAST_MEDIA) return undefined;
  const keepFrom = sources[first] ?? fold.length + 1;
  const { turn } = fold;
  const prompt =
    turn && !turn.turn.isBlocked ? (turn.turn.message ?? turn.prompt?.message) : undefined;
  const isKept = turn === undefined || turn.n >= keepFrom;
  return { first, keepFrom, prompt: isKept ? undefined : prompt };
}

function countAll(messages: readonly MessageParam[]): number {
  return messages.reduce((count, message) => count + countMediaChars(message), 0);
}

/** The first message that may be kept: no result without its call, and all messages of one entry. */
function toWholePairs(conversation: Conversation, from: number): number {
  let first = from;
  while (first > 0 && first < conversation.messages.length && isBound(conversation, first)) {
    first -= 1;
  }
  return first;
}

type Conversation = Pick<SessionFold, 'messages' | 'sources'>;

/** May that message not stand without the one before it? */
export function isBound({ messages, sources }: Conversation, at: number): boolean {
  const isOneEntry = sources[at] !== 0 && sources[at] === sources[at - 1];
  const { role, content } = messages[at] as MessageParam;
  const blocks = typeof content === 'string' ? [] : content;
  if (isOneEntry || (role === 'user' && blocks.some(isToolResultBlock))) return true;
  if (role === 'user') return false;
  // A reply that its server went on with, and a result of a server's own for a call of the reply before.
  const calls = new Set(blocks.flatMap((block) => ('id' in block ? [block['id']] : [])));
  const isAnswer = (block: object) => 'tool_use_id' in block && !calls.has(block.tool_use_id);
  return messages[at - 1]?.role === 'assistant' || blocks.some(isAnswer);
}

/** What stands in the conversation in the place of what was summed up. */
export function toSummaryMessages(
  summary: ConversationSummary,
  prompt: MessageParam | undefined,
  restored: readonly MessageParam[],
): MessageParam[] {
  return [toSummaryMessage(summary), ...restored, ...(prompt ? [prompt] : [])];
}

/** How many of the model's messages these are or stand for. */
export function countReplies(messages: readonly MessageParam[]): number {
  return messages.reduce(
    (count, message) =>
      count + (message.role === 'assistant' ? 1 : (readSummaryMessage(message)?.replies ?? 0)),
    0,
  );
}

/** The summary; empty where the model has written none. */
export function readSummary({ content }: AssistantMessage): string {
  return textOf(content, '\n').trim();
}
