// Microcompaction: replaces old results of tools that only read by a line with the path of the
// text. It is done when the cache has expired, or when the window fills up, always for many results
// at once.
import {
  isTextBlock,
  isToolResultBlock,
  isToolUseBlock,
  toResultText,
} from '../../core/messages/blocks.ts';
import type { ToolResultBlock, ToolUseBlock } from '../../core/messages/blocks.ts';
import type { SessionFold } from '../journal/fold.ts';
import { estimateTokens } from './context-size.ts';

// 20 000 tokens at a time: each clearing invalidates the cache of everything after it.
const CLEARED_TOKENS = 20_000;

// 8: the model probably still uses its newest reads.
const KEPT_RESULTS = 8;

/** Tools whose results are used from then on: definitions of tools, instructions. */
export const loadingTools: ReadonlySet<string> = new Set(['Skill', 'ToolSearch']);

/** The facts that decide whether old results are cleared. */
export interface ClearingGround {
  /** The current time, in milliseconds since the epoch. */
  readonly now: number;
  /** How long the server keeps the cache after a request. */
  readonly cacheTtlMs: number;
  /** The tokens of the next request. */
  readonly tokens: number;
  readonly contextWindow: number;
  /** True if a call of this tool with this input only reads something that can be read again. */
  readonly isReading: (name: string, input: unknown) => boolean;
}

/** A result that may be cleared, with its call and its text. */
export interface ClearableResult {
  readonly call: ToolUseBlock;
  readonly text: string;
  /** The entry that contains it. */
  readonly source: number;
}

/** True if the cache has expired for the next request, or the window is more than 60 % full. */
export function isClearingDue(
  fold: SessionFold,
  ground: Omit<ClearingGround, 'isReading'>,
): boolean {
  return isCold(fold, ground) || ground.tokens > ground.contextWindow * 0.6;
}

/** Returns the results to clear now, oldest first. Empty if clearing isn't worthwhile. */
export function planClearing(fold: SessionFold, ground: ClearingGround): ClearableResult[] {
  if (!isClearingDue(fold, ground)) return [];
  const clearable = listResults(fold)
    .slice(0, -KEPT_RESULTS)
    .flatMap(({ call, result, source }): ClearableResult[] => {
      if (!call || result.is_error || loadingTools.has(call.name)) return [];
      // Images and short texts aren't worth clearing.
      if (typeof result.content !== 'string' && !result.content?.every(isTextBlock)) return [];
      const text = toResultText(result);
      if (text.length < 1_000 || !ground.isReading(call.name, call.input)) return [];
      return [{ call, text, source }];
    });
  const picked: ClearableResult[] = [];
  let tokens = 0;
  for (const one of clearable) {
    if (tokens >= CLEARED_TOKENS) break;
    picked.push(one);
    tokens += estimateTokens(one.text);
  }
  return tokens >= CLEARED_TOKENS ? picked : [];
}

/** The text that replaces the result. */
export function toClearedText({ call, text }: ClearableResult, path: string): string {
  return `This result of ${call.name} (${text.length} characters) was taken out to save room. It is in ${path}; what it told of may have changed since.`;
}

/** True if the server's cache of the newest request has expired. */
function isCold(
  { agent, entries }: SessionFold,
  { now, cacheTtlMs }: Pick<ClearingGround, 'now' | 'cacheTtlMs'>,
): boolean {
  const last = entries.findLast((entry) => entry.type === 'request' && entry.agent === agent);
  return last !== undefined && now - last.time > cacheTtlMs;
}

interface Result {
  readonly result: ToolResultBlock;
  readonly source: number;
  /** The last call with its id before it: some servers repeat the ids of calls in each reply. */
  readonly call: ToolUseBlock | undefined;
}

function listResults({ messages, sources }: Pick<SessionFold, 'messages' | 'sources'>): Result[] {
  const calls = new Map<string, ToolUseBlock>();
  return messages.flatMap(({ role, content }, at) => {
    if (typeof content === 'string') return [];
    if (role === 'user') {
      return content.filter(isToolResultBlock).map((result) => {
        return { result, source: sources[at] ?? 0, call: calls.get(result.tool_use_id) };
      });
    }
    for (const call of content.filter(isToolUseBlock)) calls.set(call.id, call);
    return [];
  });
}
