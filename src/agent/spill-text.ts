// What is left of a result that is too long: its head, its tail, and where all of it is. Loaded by
// `budget.ts` for the first one.
import type { TextBlock, ToolResultBlock } from '../core/blocks.ts';
import { isTextBlock } from '../core/blocks.ts';
import { clipText } from '../core/clip-text.ts';
import type { BudgetedResult, SpillStore } from './budget.ts';

/** `text` is the block's. Never rejects: where it can't be kept, the preview says so. */
export async function spillText(
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
