// Compaction: the older part of the conversation gives way to a summary, which the model itself writes. What
// stays and when it is due is decided here; the loop asks and records.
import { isTextBlock, isToolResultBlock } from '../../core/blocks.ts';
import type { AssistantMessage, MessageParam } from '../../core/messages.ts';
import { toSystemReminder } from '../../core/system-reminder.ts';
import type { SessionFold } from '../journal/fold.ts';
import { estimateTokens } from './context-size.ts';

// 20 000 tokens: some ten calls with their results, so that the work goes on where it stood.
const KEPT_TOKENS = 20_000;

/** The room that a request and its reply need in the model's window, in tokens. */
export interface Room {
  readonly contextWindow: number;
  /** The longest reply that is asked for. */
  readonly maxTokens: number;
}

/** Would a request of so many tokens leave less than a reply and a twentieth of the window free? */
export function isCompactionDue(tokens: number, { contextWindow, maxTokens }: Room): boolean {
  return contextWindow - tokens < maxTokens + contextWindow / 20;
}

/**
 * Has the last compaction since the newest prompt freed less than a fifth? Then another one would free no
 * more: it is left to a person, or to the next prompt.
 */
export function isCompactionFutile({ entries }: SessionFold): boolean {
  const last = entries.findLast(
    ({ type, agent }) => agent === undefined && (type === 'compacted' || type === 'turn'),
  );
  if (last?.type !== 'compacted') return false;
  const { preTokens, postTokens } = last;
  if (preTokens === undefined || postTokens === undefined) return false;
  return postTokens > preTokens * 0.8;
}

/** What is summed up, and what stays. */
export interface CompactionPlan {
  /** Messages of this entry and later ones stay as they are. */
  readonly keepFrom: number;
  /** The newest prompt, where it isn't among those. It stays word for word. */
  readonly prompt: MessageParam | undefined;
}

/** Undefined where everything would stay: there is nothing to sum up. */
export function planCompaction(fold: SessionFold): CompactionPlan | undefined {
  const { messages, sources } = fold;
  let tokens = 0;
  let first = messages.length;
  while (first > 0) {
    tokens += estimateTokens(messages[first - 1]);
    if (tokens > KEPT_TOKENS) break;
    first -= 1;
  }
  // What came last stays, however long it is: nobody has answered it yet.
  first = toWholePairs(fold, Math.min(first, messages.length - 1));
  if (first <= 0) return undefined;
  const keepFrom = sources[first] ?? fold.length + 1;
  const { turn } = fold;
  const prompt = turn && !turn.turn.isBlocked ? turn.prompt : undefined;
  const isKept = turn === undefined || turn.n >= keepFrom;
  return { keepFrom, prompt: isKept ? undefined : prompt?.message };
}

/** The first message that may be kept: no result without its call, and all messages of one entry. */
function toWholePairs({ messages, sources }: SessionFold, from: number): number {
  let first = from;
  const isBound = () => {
    if (first <= 0) return false;
    const isOneEntry = sources[first] !== 0 && sources[first] === sources[first - 1];
    const content = messages[first]?.content;
    const hasResults = Array.isArray(content) && content.some(isToolResultBlock);
    return isOneEntry || hasResults;
  };
  while (isBound()) first -= 1;
  return first;
}

/** The message that asks for the summary. The conversation stands before it, so the cache has that. */
export function toCompactionPrompt(instructions?: string): MessageParam {
  const own = instructions === undefined ? '' : `\n\nThe user asks of the summary: ${instructions}`;
  return toSystemReminder(`${ask}${own}`);
}

const ask = `The conversation has become too long for your context window. Write a summary that takes its place: you will go on from it without seeing what stands above. Answer with the summary alone, and call no tool.

Keep, in this order:
1. What the user wants, in their own words where they matter, and what they have ruled out.
2. What was decided, and why.
3. Files that were read or changed: their paths, what is in them that matters, what was changed in each.
4. Commands and cells that were run, and what came of them; variables that are set in the Repl.
5. Errors that came up, and how each was solved, or that it is not solved.
6. What is done, what is being worked on right now, and what is left to do, in order.

Leave out greetings, and whatever the files themselves would tell again.`;

/** What stands in the conversation in the place of what was summed up. */
export function toSummaryMessages(
  summary: string,
  prompt: MessageParam | undefined,
  restored: readonly MessageParam[],
): MessageParam[] {
  const opening = `The conversation before this was summed up, as it had become too long. This is what you have written of it:\n\n${summary}`;
  return [toSystemReminder(opening), ...restored, ...(prompt ? [prompt] : [])];
}

/** The summary; empty where the model has written none. */
export function readSummary({ content }: AssistantMessage): string {
  return content
    .filter(isTextBlock)
    .map(({ text }) => text)
    .join('\n')
    .trim();
}
