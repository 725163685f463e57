// Stage 9 limits how much of one result, and of all results of one message, goes into the
// conversation. A result that is too long is stored as a file of the session, and the model gets a
// preview with the path. The result of a paging tool is shortened instead. Called by settle.ts for
// each result, and by turn/record-step.ts for a message's.
import type {
  ContentBlock,
  TextBlock,
  ToolResultBlock,
  UserBlock,
} from '../../core/messages/blocks.ts';
import { isTextBlock, toResultText } from '../../core/messages/blocks.ts';
import { clipText } from '../../core/text/clip-text.ts';
import type { MessageParam } from '../../core/messages/messages.ts';
import {
  defaultMaxResultChars,
  maxMessageResultsChars,
  maxResultBytes,
} from '../../core/tool/result-limits.ts';
import type { Tool } from '../../core/tool/tool.ts';
import {
  clipShort,
  cutText,
  PREVIEW_CHARS,
  spillText,
  writePreview,
  type Preview,
  type SpillStore,
} from './spill-text.ts';

/** One result and its tool. */
export interface GivenResult {
  readonly block: ToolResultBlock;
  /** Undefined: the tool is unknown. */
  readonly tool: Pick<Tool, 'name' | 'maxResultSizeChars' | 'tellRest'> | undefined;
  /** The output that the block was made from; undefined if it wasn't made from an output. */
  readonly output?: unknown;
  /** The preview in the block, if the result was stored as a file. */
  readonly preview?: Preview;
}

/** A result within its budget. */
export interface BudgetedResult {
  /** The block to send: the original, a preview, or the part that fits. */
  readonly block: ToolResultBlock;
  readonly preview?: Preview;
}

/**
 * Limits one result to its tool's limit, including previews. Images aren't limited. Never rejects:
 * if the text can't be stored, the preview says so.
 */
export async function applyResultBudget(
  given: GivenResult,
  spill: SpillStore,
): Promise<BudgetedResult> {
  const text = toResultText(given.block);
  const limit = given.tool?.maxResultSizeChars ?? defaultMaxResultChars;
  const isTooLarge = exceedsCeiling(text);
  if (limit === Infinity) {
    // A page is for one message, so the limit is the message's budget. 3: the most bytes per UTF-16
    // unit.
    const maxChars = isTooLarge ? Math.floor(maxResultBytes / 3) : maxMessageResultsChars;
    return text.length <= maxChars ? keepGiven(given) : { block: cutResult(given, maxChars).block };
  }
  return text.length <= limit && !isTooLarge
    ? keepGiven(given)
    : spillResult(given, Math.min(limit, PREVIEW_CHARS), spill);
}

/** Does the same for each text of the messages that a call adds. Never rejects. */
export async function applyNewMessagesBudget(
  messages: readonly MessageParam[],
  toolUseId: string,
  tool: Pick<Tool, 'name' | 'maxResultSizeChars'>,
  spill: SpillStore,
): Promise<MessageParam[]> {
  const { name, maxResultSizeChars } = tool;
  // Without `tellRest`, which applies to results only.
  const owner = { name, ...(maxResultSizeChars !== undefined && { maxResultSizeChars }) };
  let texts = 0;
  const fit = async (text: string) => {
    // Each text has its own file.
    const tool_use_id = `${toolUseId}-message-${(texts += 1)}`;
    const whole = { type: 'tool_result', tool_use_id, content: text } as const;
    return toResultText((await applyResultBudget({ block: whole, tool: owner }, spill)).block);
  };
  const fitBlock = async <Block extends ContentBlock | UserBlock>(block: Block): Promise<Block> =>
    isTextBlock(block) ? { ...block, text: await fit(block.text) } : block;
  const fitMessage = async (message: MessageParam) => {
    const { content } = message;
    const fitted =
      typeof content === 'string' ? await fit(content) : await Promise.all(content.map(fitBlock));
    // The cast is safe: the types of the blocks don't change, so they stay valid for the message's
    // role.
    return { ...message, content: fitted } as MessageParam;
  };
  return Promise.all(messages.map(fitMessage));
}

/**
 * The blocks of one message as they may be sent, in their order: each within its own limit, all together
 * within the message's. The largest are spilled until all fit, and previews become shorter where that isn't
 * enough. What pages by itself counts and is never spilled: in the order of the calls it is given what is
 * left. All that follows from the results and their order, not from which call settled first. What this
 * makes of a message is what stands in the conversation from then on, so the same bytes are sent at each
 * request. `onUnseen` hears the place of each result of which not even a part is shown. Never rejects.
 */
export async function applyMessageBudget(
  given: readonly GivenResult[],
  spill: SpillStore,
  onUnseen: (at: number) => void = () => undefined,
): Promise<ToolResultBlock[]> {
  const results: GivenResult[] = [];
  for (const one of given) results.push({ ...one, ...(await applyResultBudget(one, spill)) });
  const sizes = results.map(({ block }) => toResultText(block).length);
  const sizeAt = (at: number) => sizes[at] ?? 0;
  const replace = (at: number, result: GivenResult) => {
    results[at] = result;
    sizes[at] = toResultText(result.block).length;
  };
  const places = [...results.keys()];
  const isPaged = (at: number) => results[at]?.tool?.maxResultSizeChars === Infinity;
  const paged = places.filter(isPaged);
  const others = places.filter((at) => !isPaged(at));

  /**
   * Shortens the largest results first, each to `level` at most, until all others fit into `room`.
   */
  const shortenOthers = async (level: number, room: number) => {
    let total = sum(others.map(sizeAt));
    for (const at of others.toSorted((a, b) => sizeAt(b) - sizeAt(a))) {
      const size = sizeAt(at);
      const result = results[at];
      if (total <= room || size <= level || !result) break;
      replace(at, { ...result, ...(await spillResult(result, level, spill)) });
      total += sizeAt(at) - size;
    }
    return total;
  };
  let total = await shortenOthers(PREVIEW_CHARS, maxMessageResultsChars - sum(paged.map(sizeAt)));
  // A paging tool's result always has room for a line that says how to get it.
  const share = Math.min(NOTICE_CHARS, Math.floor(maxMessageResultsChars / results.length));
  let reserved = sum(paged.map((at) => Math.min(sizeAt(at), share)));
  // If all are that short already and there are too many, previews get shorter.
  const room = maxMessageResultsChars - reserved;
  for (let level = PREVIEW_CHARS; total > room; level = Math.floor(level / 2)) {
    total = await shortenOthers(level, room);
  }
  let left = maxMessageResultsChars - total;
  let isUsedUp = false;
  for (const at of paged) {
    const size = sizeAt(at);
    const result = results[at];
    reserved -= Math.min(size, share);
    // After a shortened result, only the reserved room is left.
    const maxChars = isUsedUp ? share : left - reserved;
    if (result && size > maxChars) {
      const { block, showsNothing } = cutResult(result, maxChars);
      replace(at, { ...result, block });
      if (showsNothing) onUnseen(at);
      isUsedUp = true;
    }
    left -= sizeAt(at);
  }
  return results.map(({ block }) => block);
}

/** The room for one line about a result of which nothing fits. */
const NOTICE_CHARS = 300;

/** Below this, the path would be longer than the text that it replaces. */
const MIN_SPILLED_CHARS = 200;

function keepGiven({ block, preview }: GivenResult): BudgetedResult {
  return { block, ...(preview && { preview }) };
}

async function spillResult(
  given: GivenResult,
  maxChars: number,
  spill: SpillStore,
): Promise<BudgetedResult> {
  const { block } = given;
  const text = toResultText(block);
  if (!given.preview && text.length <= MIN_SPILLED_CHARS) {
    return { block: replaceText(block, clipShort(text, maxChars)) };
  }
  const preview = given.preview ?? (await spillText(block.tool_use_id, text, spill));
  return { block: replaceText(block, writePreview(preview, maxChars)), preview };
}

function cutResult(
  given: GivenResult,
  maxChars: number,
): { readonly block: ToolResultBlock; readonly showsNothing: boolean } {
  const { block, tool, output } = given;
  const text = toResultText(block);
  const lines = text.split('\n').length;
  const why = `Cut: the results of one message have at most ${maxMessageResultsChars} characters together.`;
  const tell = (shown: number) => {
    const rest =
      (block.is_error === true ? undefined : tellRest(tool, output, shown)) ??
      `Shown are ${shown} of ${lines} lines. Call ${tool?.name ?? 'the tool'} again for less, or in a message of its own.`;
    return `(${why} ${rest})`;
  };
  const cut = cutText(text, maxChars, tell);
  return { block: replaceText(block, cut), showsNothing: cut === clipText(tell(0), maxChars) };
}

// If the tool's function throws, the result is kept.
function tellRest(tool: GivenResult['tool'], output: unknown, shown: number): string | undefined {
  if (output === undefined) return undefined;
  try {
    return tool?.tellRest?.(output, shown);
  } catch {
    return undefined;
  }
}

function replaceText(block: ToolResultBlock, text: string): ToolResultBlock {
  if (!Array.isArray(block.content)) return { ...block, content: text };
  const others = block.content.filter((part) => !isTextBlock(part));
  const head: TextBlock = { type: 'text', text };
  // The API rejects an empty text.
  return { ...block, content: text === '' ? others : [head, ...others] };
}

function sum(sizes: readonly number[]): number {
  return sizes.reduce((total, size) => total + size, 0);
}

function exceedsCeiling(text: string): boolean {
  // A UTF-16 unit takes at most 3 bytes, so most texts need not be encoded to know their size.
  if (text.length * 3 <= maxResultBytes) return false;
  return new TextEncoder().encode(text).length > maxResultBytes;
}
