// Compaction: replaces the older part of the conversation by a summary that the model writes. This
// file decides when it is due and what is kept; the loop makes the request and records the result.
import { isToolResultBlock, textOf } from '../../core/messages/blocks.ts';
import { countMediaChars } from '../../core/messages/media.ts';
import type { AssistantMessage, MessageParam } from '../../core/messages/messages.ts';
import { readSummaryMessage, toSummaryMessage } from '../../core/messages/compaction-messages.ts';
import type { ConversationSummary } from '../../core/messages/compaction-messages.ts';
import type { SessionFold } from '../journal/fold.ts';
import { estimateTokens } from './context-size.ts';

// 20 000 tokens: some ten calls with their results, so that the work can continue.
const KEPT_TOKENS = 20_000;

// 16 000 000 characters of base64: half of the 32 MB that the API takes in one request.
const KEPT_MEDIA = 16_000_000;

// 1 000 000: fewer characters of images aren't the cause of an overflow.
const LEAST_MEDIA = 1_000_000;

// 2 000 tokens: a summary needs as much itself, so less isn't worth one.
const LEAST_TOKENS = 2_000;

/** The room that a request and its reply need in the model's window, in tokens. */
export interface Room {
  readonly contextWindow: number;
  /** The longest reply that may be requested. @defaultValue 16384, as in createAnthropicModel */
  readonly maxTokens?: number | undefined;
}

/** The tokens above which a request would leave less than a reply and 5 % of the window free. */
export function compactionThreshold({ contextWindow, maxTokens = 16_384 }: Room): number {
  return Math.max(0, contextWindow - maxTokens - contextWindow / 20);
}

/** True if a request with so many tokens is above the threshold. */
export function isCompactionDue(tokens: number, room: Room): boolean {
  return tokens > compactionThreshold(room);
}

/**
 * True if the last compaction since the newest prompt has freed less than a fifth. Another one
 * would free no more, so it is left to a person or to the next prompt.
 */
export function isCompactionFutile({ agent, entries }: SessionFold): boolean {
  const last = entries.findLast(
    ({ agent: whose, type }) =>
      whose === agent && (type === 'compacted' || type === 'turn' || type === 'joined'),
  );
  if (last?.type !== 'compacted') return false;
  const { preTokens, postTokens } = last;
  if (preTokens === undefined || postTokens === undefined) return false;
  return postTokens > preTokens * 0.8;
}

/**
 * True if no request has followed the newest compaction. Another one would only summarize its
 * summary.
 */
export function hasJustCompacted({ agent, entries }: SessionFold): boolean {
  const last = entries.findLast(
    (entry) => entry.agent === agent && (entry.type === 'compacted' || entry.type === 'request'),
  );
  return last?.type === 'compacted';
}

/** Which messages are summarized and which are kept. */
export interface CompactionPlan {
  /** The index of the first kept message. */
  readonly first: number;
  /** Messages of this entry and later ones are kept. */
  readonly keepFrom: number;
  /** The prompts of the newest turn that aren't among them. They are kept word for word. */
  readonly prompts: readonly MessageParam[];
}

/**
 * Returns undefined if everything would be kept. `contextWindow`: of a small window at most a
 * quarter is kept. `isOverflow`: the server has refused the request, so of many images at most half
 * are kept.
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
  // The last message is kept, however long it is, because it has no answer yet.
  first = Math.min(first, messages.length - 1);
  if (first <= 0) return undefined;
  // An earlier summary is summarized as a whole.
  while (sources[first] === 0) first += 1;
  first = toWholePairs(fold, first);
  const gone = messages.slice(0, first);
  if (estimateTokens(gone) < LEAST_TOKENS && countAll(gone) < LEAST_MEDIA) return undefined;
  const keepFrom = sources[first] ?? fold.length + 1;
  return { first, keepFrom, prompts: listPromptsBefore(keepFrom, fold) };
}

/** The prompts of the open turn, before that entry. */
function listPromptsBefore(entry: number, { turn }: SessionFold): MessageParam[] {
  if (!turn) return [];
  const own = turn.turn.message ?? turn.prompt?.message;
  const isBlocked = turn.turn.isBlocked === true;
  const prompts = [
    ...(own ? [{ n: turn.n, message: own, isBlocked }] : []),
    ...turn.joined.map(({ prompt: { message }, ...rest }) => ({ ...rest, message })),
  ];
  return prompts.filter((one) => one.n < entry && !one.isBlocked).map(({ message }) => message);
}

function countAll(messages: readonly MessageParam[]): number {
  return messages.reduce((count, message) => count + countMediaChars(message), 0);
}

/**
 * The first message that may be kept: no result without its call, and all messages of one entry.
 */
function toWholePairs(conversation: Conversation, from: number): number {
  let first = from;
  while (first > 0 && first < conversation.messages.length && isBound(conversation, first)) {
    first -= 1;
  }
  return first;
}

type Conversation = Pick<SessionFold, 'messages' | 'sources'>;

/** True if that message isn't valid without the one before it. */
export function isBound({ messages, sources }: Conversation, at: number): boolean {
  const isOneEntry = sources[at] !== 0 && sources[at] === sources[at - 1];
  const { role, content } = messages[at] as MessageParam;
  const blocks = typeof content === 'string' ? [] : content;
  if (isOneEntry || (role === 'user' && blocks.some(isToolResultBlock))) return true;
  if (role === 'user') return false;
  // A reply that its server has continued, or a server tool's result for a call of the reply
  // before.
  const calls = new Set(blocks.flatMap((block) => ('id' in block ? [block['id']] : [])));
  const isAnswer = (block: object) => 'tool_use_id' in block && !calls.has(block.tool_use_id);
  return messages[at - 1]?.role === 'assistant' || blocks.some(isAnswer);
}

/** The messages that replace the summarized part. */
export function toSummaryMessages(
  summary: ConversationSummary,
  prompts: readonly MessageParam[],
  restored: readonly MessageParam[],
): MessageParam[] {
  return [toSummaryMessage(summary), ...restored, ...prompts];
}

/** The number of model messages that these are or represent. */
export function countReplies(messages: readonly MessageParam[]): number {
  return messages.reduce(
    (count, message) =>
      count + (message.role === 'assistant' ? 1 : (readSummaryMessage(message)?.replies ?? 0)),
    0,
  );
}

/** Returns the summary; empty if the model has written none. */
export function readWrittenSummary({ content }: AssistantMessage): string {
  return textOf(content, '\n').trim();
}
