// Station 9: how much of one result, and of all results of one message, goes into the conversation.
// What is too long is spilled whole to a file of the session, and the model gets its head, its tail
// and the path. `settle.ts` calls it for each result, `loop.ts` for a message's.
import type { ContentBlock, ToolResultBlock, UserBlock } from '../core/blocks.ts';
import { isTextBlock, toResultText } from '../core/blocks.ts';
import { describeThrown } from '../core/errors.ts';
import { loadOnce } from '../core/load-once.ts';
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

/** Most results are short. */
const loadSpillText = loadOnce(() => import('./spill-text.ts'));

async function spillText(
  block: ToolResultBlock,
  text: string,
  spill: SpillStore,
): Promise<BudgetedResult> {
  try {
    return await (await loadSpillText()).spillText(block, text, spill);
  } catch (error) {
    const content = `The result is too long to show, and what shortens it could not be loaded (${describeThrown(error)}). Ask for less.`;
    return { block: { ...block, content } };
  }
}

function exceedsCeiling(text: string): boolean {
  // A UTF-16 unit takes at most 3 bytes, so most results need not be encoded to know.
  if (text.length * 3 <= MAX_TOOL_RESULT_BYTES) return false;
  return new TextEncoder().encode(text).length > MAX_TOOL_RESULT_BYTES;
}
