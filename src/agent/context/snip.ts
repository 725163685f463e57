// Snipping: replaces parts of the conversation by a note of the model. This file decides which
// parts there are and what replaces them; session/session-history.ts records it.
import { isTextBlock, isToolResultBlock, isToolUseBlock } from '../../core/messages/blocks.ts';
import type { ContentBlock } from '../../core/messages/blocks.ts';
import { clipText } from '../../core/text/clip-text.ts';
import type { MessageParam } from '../../core/messages/messages.ts';
import { quoteForReminder, toSystemReminder } from '../../core/messages/system-reminder.ts';
import type { HistoryPart } from '../../core/session/session-history.ts';
import type { SessionFold } from '../journal/fold.ts';
import { loadingTools } from './clear-results.ts';
import { isBound } from './compact.ts';
import { estimateTokens } from './context-size.ts';

/**
 * Tools whose results are a person's own words, which the model must not remove, for example
 * because of a hostile text.
 */
const answeredTools: ReadonlySet<string> = new Set(['AskUserQuestion', 'ExitPlanMode']);

// 80 characters: one line.
const textLength = 80;

/**
 * The removable parts, oldest first: replies of the model, each with the results of its calls.
 * Results that load tools or instructions aren't removable, and neither are a person's words.
 */
export function listParts(fold: Pick<SessionFold, 'messages' | 'sources'>): HistoryPart[] {
  const { messages, sources } = fold;
  const parts: HistoryPart[] = [];
  let first = 0;
  while (first < messages.length) {
    let end = first + 1;
    while (end < messages.length && isBound(fold, end)) end += 1;
    const group = messages.slice(first, end);
    const entries = sources.slice(first, end);
    // Messages that an agent got from its caller, and a summary, have no entries of their own.
    const isPart = group.every(isReplyOrResults) && entries.every((entry) => entry > 0);
    // The results of its calls are missing, or its server will continue it.
    const isOpen = end === messages.length && group.at(-1)?.role === 'assistant';
    if (isPart && !isOpen && !listUses(group).some(isKept)) {
      parts.push({ entries, text: describe(group), tokens: estimateTokens(group) });
    }
    first = end;
  }
  return parts;
}

/** The message that replaces the parts. */
export function toSnipMessage(parts: readonly HistoryPart[], note: string): MessageParam {
  const what = parts.length === 1 ? 'One of your replies' : `${parts.length} of your replies`;
  return toSystemReminder(
    `${what}, with the results of what you called, stood here until you took it out by Snip. This is what you noted of it:\n\n${quoteForReminder(note)}`,
  );
}

function isReplyOrResults({ role, content }: MessageParam): boolean {
  if (role === 'assistant') return true;
  return typeof content !== 'string' && content.every(isToolResultBlock);
}

function listUses(group: readonly MessageParam[]) {
  return listReplyBlocks(group).filter(isToolUseBlock);
}

function listReplyBlocks(group: readonly MessageParam[]): ContentBlock[] {
  return group.flatMap(({ role, content }) =>
    role === 'assistant' && typeof content !== 'string' ? content : [],
  );
}

const isKept = ({ name }: { readonly name: string }) =>
  loadingTools.has(name) || answeredTools.has(name);

function describe(group: readonly MessageParam[]): string {
  const blocks = listReplyBlocks(group);
  const calls = blocks.filter(isToolUseBlock);
  const words = blocks.filter(isTextBlock).map(({ text }) => text);
  const told = calls.map(({ name, input }) => `${name} ${JSON.stringify(input)}`);
  const line = [...told, ...words].join('; ').replace(/\s+/gu, ' ').trim();
  return line.length <= textLength ? line : `${clipText(line, textLength - 1)}…`;
}
