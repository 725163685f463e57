// Station 11's part in tools: definitions and finds as the API is sent them. A find is kept in the
// conversation as `tool_reference` blocks, and written as what this request's model can read.
import { isToolReferenceBlock, isToolResultBlock } from '../../core/blocks.ts';
import type { ToolResultBlock, UserBlock } from '../../core/blocks.ts';
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
      const { writeFind } = await import('./write-find.ts');
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
