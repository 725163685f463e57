// Station 11's part in tools: definitions and finds as the API is sent them. A find is kept in the
// conversation as `tool_reference` blocks, and written as what this request's model can read.
import { isToolReferenceBlock, isToolResultBlock } from '../../core/blocks.ts';
import type { ToolReferenceBlock, ToolResultBlock, UserBlock } from '../../core/blocks.ts';
import type { MessageParam } from '../../core/messages.ts';
import type { Tool } from '../../core/tool.ts';
import type { ToolParam } from '../../model/model.ts';
import type { Pool } from './prepare-pool.ts';
import type { ToolParamWriter } from './to-tool-param.ts';

/**
 * The definitions: the prefix with the cache breakpoint behind it, and after it what may come and go.
 * Two requests with the same built-in tools have the same bytes up to there.
 */
export async function writeTools(pool: Pool, params: ToolParamWriter): Promise<ToolParam[]> {
  const { prefix, steady, loaded, deferred, asReferences, promptOptions } = pool;
  const whole = (tool: Tool) => params.writeWithUsage(tool, promptOptions);
  const [first, second, third, fourth] = await Promise.all([
    Promise.all(prefix.map((tool) => params.write(tool))),
    Promise.all(steady.map((tool) => params.write(tool))),
    Promise.all(loaded.map(whole)),
    // Elsewhere than at the API's own door a deferred tool is one that isn't sent.
    Promise.all(asReferences ? deferred.map(whole) : []),
  ]);
  const breakpoint = first.at(-1);
  return [
    ...first.slice(0, -1),
    ...(breakpoint ? [{ ...breakpoint, cache_control: { type: 'ephemeral' } as const }] : []),
    ...second,
    ...third,
    ...fourth.map((param) => ({ ...param, defer_loading: true as const })),
  ];
}

/**
 * The conversation with its finds written out: as references to what this request defers, else as a
 * `<functions>` block. The bytes of a find change only where those of the definitions do.
 */
export async function writeMessages(
  messages: readonly MessageParam[],
  pool: Pool,
  params: ToolParamWriter,
): Promise<readonly MessageParam[]> {
  return Promise.all(
    messages.map(async (message): Promise<MessageParam> => {
      const { role, content } = message;
      if (role !== 'user' || typeof content === 'string' || !content.some(hasReferences)) {
        return message;
      }
      const blocks = content.map((block) =>
        hasReferences(block) ? writeFind(block, pool, params) : block,
      );
      return { role, content: await Promise.all(blocks) };
    }),
  );
}

function hasReferences(block: UserBlock): block is ToolResultBlock {
  return (
    isToolResultBlock(block) &&
    typeof block.content === 'object' &&
    block.content.some(isToolReferenceBlock)
  );
}

async function writeFind(
  block: ToolResultBlock,
  pool: Pool,
  params: ToolParamWriter,
): Promise<ToolResultBlock> {
  const parts = typeof block.content === 'object' ? block.content : [];
  const references = parts.filter(isToolReferenceBlock);
  if (pool.asReferences) {
    // The API refuses a request that refers to what it doesn't have; what is sent whole needs none.
    const known = references.filter((part) => isDeferred(part, pool));
    if (known.length > 0) return { ...block, content: known };
    return { ...block, content: toNote(references, pool) };
  }
  const lines = await Promise.all(references.map((part) => writeFunction(part, pool, params)));
  return { ...block, content: `<functions>\n${lines.join('\n')}\n</functions>` };
}

function isDeferred({ tool_name }: ToolReferenceBlock, { deferred }: Pool): boolean {
  return deferred.some(({ name }) => name === tool_name);
}

/** Where there is nothing left to refer to. */
function toNote(references: readonly ToolReferenceBlock[], { tools }: Pool): string {
  return references
    .map(({ tool_name }) =>
      tools.some(({ name }) => name === tool_name)
        ? `${tool_name} is loaded: call it.`
        : `${tool_name} is no longer there.`,
    )
    .join('\n');
}

async function writeFunction(
  { tool_name }: ToolReferenceBlock,
  { tools, prefix, steady, promptOptions }: Pool,
  params: ToolParamWriter,
): Promise<string> {
  const tool = tools.find(({ name }) => name === tool_name);
  if (!tool) return `(${tool_name} is no longer there.)`;
  const isSteady = prefix.includes(tool) || steady.includes(tool);
  const param = isSteady
    ? await params.write(tool)
    : await params.writeWithUsage(tool, promptOptions);
  const { description, name, input_schema: parameters } = param;
  // Security: a remote tool's words must not end the line that they stand in.
  const json = JSON.stringify({ description, name, parameters }).replaceAll('<', '\\u003c');
  return `<function>${json}</function>`;
}
