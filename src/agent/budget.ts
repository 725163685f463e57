// Station 9: how much of one result, and of all results of one message, goes into the conversation.
// What is too long is spilled whole to a file of the session, and the model gets its head, its tail
// and the path. `settle.ts` calls it for each result, `loop.ts` for a message's.
import type { ContentBlock, TextBlock, ToolResultBlock, UserBlock } from '../core/blocks.ts';
import { isTextBlock, toResultText } from '../core/blocks.ts';
import { clipText } from '../core/clip-text.ts';
import type { MessageParam } from '../core/messages.ts';
import type { PersistedOutput, Tool } from '../core/tool.ts';

/** For tools that don't say, in UTF-16 units: some 12 000 tokens, a reply's worth of reading. */
const DEFAULT_MAX_RESULT_SIZE_CHARS = 50_000;

/** The ceiling of any one text result in UTF-8 bytes, also for tools that set themselves no limit. */
const MAX_TOOL_RESULT_BYTES = 400_000;

/** For all results of one message together, in UTF-16 units. */
const MAX_TOOL_RESULTS_PER_MESSAGE_CHARS = 200_000;

/** Where the full text of a result goes. */
export interface SpillStore {
  /** Gives the path under which tools can read it. Rejects when it can't be kept. */
  write(toolUseId: string, text: string): Promise<string>;
}

/** What a result came to under its budget. */
export interface BudgetedResult {
  /** As it may be sent: the block itself, or a preview. */
  readonly block: ToolResultBlock;
  readonly isPreview?: true;
  /** Where the whole text is; absent where all of it is in the block, or couldn't be kept. */
  readonly persisted?: PersistedOutput;
}

/** Images are left alone. Never rejects: where the text can't be kept, the preview says so. */
export async function applyResultBudget(
  block: ToolResultBlock,
  tool: Pick<Tool, 'name' | 'maxResultSizeChars'>,
  spill: SpillStore,
): Promise<BudgetedResult> {
  const text = toResultText(block);
  const limit = tool.maxResultSizeChars ?? DEFAULT_MAX_RESULT_SIZE_CHARS;
  if (text.length <= limit && !exceedsCeiling(text)) return { block };
  return spillText(block, text, spill);
}

/** The same for each text of the messages that a call adds. Never rejects. */
export async function applyNewMessagesBudget(
  messages: readonly MessageParam[],
  toolUseId: string,
  tool: Pick<Tool, 'name' | 'maxResultSizeChars'>,
  spill: SpillStore,
): Promise<MessageParam[]> {
  let texts = 0;
  const fit = async (text: string) => {
    // A file of its own for each.
    const tool_use_id = `${toolUseId}-message-${(texts += 1)}`;
    const whole = { type: 'tool_result', tool_use_id, content: text } as const;
    return toResultText((await applyResultBudget(whole, tool, spill)).block);
  };
  const fitBlock = async <Block extends ContentBlock | UserBlock>(block: Block): Promise<Block> =>
    isTextBlock(block) ? { ...block, text: await fit(block.text) } : block;
  const fitMessage = async (message: MessageParam) => {
    const { content } = message;
    const fitted =
      typeof content === 'string' ? await fit(content) : await Promise.all(content.map(fitBlock));
    // A cast: a block's kind stays, so what one role may hold it still holds.
    return { ...message, content: fitted } as MessageParam;
  };
  return Promise.all(messages.map(fitMessage));
}

/** One result of a message, and whose it is; undefined: of no known tool. */
export interface MessageResult extends Pick<BudgetedResult, 'block' | 'isPreview'> {
  readonly tool: Pick<Tool, 'maxResultSizeChars'> | undefined;
}

/**
 * The blocks of one message as they may be sent, in their order: the largest are spilled until all
 * fit. Results of tools without a limit count, and are never spilled for it: they page by
 * themselves. What this makes of a message is what stands in the conversation from then on, so the
 * same bytes are sent at each request. Never rejects.
 */
export async function applyMessageBudget(
  results: readonly MessageResult[],
  spill: SpillStore,
): Promise<ToolResultBlock[]> {
  const blocks = results.map(({ block }) => block);
  const sizes = blocks.map((block) => toResultText(block).length);
  let total = sizes.reduce((sum, size) => sum + size, 0);
  const bySize = [...results.keys()]
    // A preview's whole text stands in the file that the preview would be written to.
    .filter((at) => !results[at]?.isPreview && results[at]?.tool?.maxResultSizeChars !== Infinity)
    .toSorted((a, b) => (sizes[b] ?? 0) - (sizes[a] ?? 0));
  for (const at of bySize) {
    const block = blocks[at];
    if (total <= MAX_TOOL_RESULTS_PER_MESSAGE_CHARS || !block) break;
    const { block: shorter } = await spillText(block, toResultText(block), spill);
    total += toResultText(shorter).length - (sizes[at] ?? 0);
    blocks[at] = shorter;
  }
  return blocks;
}

async function spillText(
  block: ToolResultBlock,
  text: string,
  spill: SpillStore,
): Promise<BudgetedResult> {
  // Below the preview's own size there is nothing to leave out.
  if (text.length <= HEAD_CHARS + TAIL_CHARS) return { block };
  const { sentence, ...kept } = await keep(block.tool_use_id, text, spill);
  const preview = replaceText(block, `${sentence}\n\n${cutMiddle(text)}`);
  return { block: preview, isPreview: true, ...kept };
}

function replaceText(block: ToolResultBlock, text: string): ToolResultBlock {
  if (!Array.isArray(block.content)) return { ...block, content: text };
  const others = block.content.filter((part) => !isTextBlock(part));
  const head: TextBlock = { type: 'text', text };
  return { ...block, content: [head, ...others] };
}

function exceedsCeiling(text: string): boolean {
  // A UTF-16 unit takes at most 3 bytes, so most results need not be encoded to know.
  if (text.length * 3 <= MAX_TOOL_RESULT_BYTES) return false;
  return new TextEncoder().encode(text).length > MAX_TOOL_RESULT_BYTES;
}

interface Kept extends Pick<BudgetedResult, 'persisted'> {
  readonly sentence: string;
}

async function keep(toolUseId: string, text: string, spill: SpillStore): Promise<Kept> {
  const size = `${text.length} characters in ${text.split('\n').length} lines`;
  try {
    const path = await spill.write(toolUseId, text);
    const sentence = `The result is too long to show (${size}). All of it is in ${path}: Read it by offset and limit, or search it with Grep. Its beginning and end:`;
    return { sentence, persisted: { path, size: new TextEncoder().encode(text).length } };
  } catch (error) {
    const sentence = `The result is too long to show (${size}), and could not be kept (${String(error)}). Its beginning and end:`;
    return { sentence };
  }
}

// 4 000 and 2 000 characters: what tells a reader how the text goes on; the head usually says more.
const HEAD_CHARS = 4_000;
const TAIL_CHARS = 2_000;

function cutMiddle(text: string): string {
  const head = clipText(text, HEAD_CHARS);
  // Half of a surrogate pair would reach the API as a broken character.
  const tail = text.slice(-TAIL_CHARS).replace(/^[\uDC00-\uDFFF]/u, '');
  const leftOut = text.length - head.length - tail.length;
  return `${head}\n\n[… ${leftOut} characters left out …]\n\n${tail}`;
}
