// Station 11's part in tools: definitions and finds as the API is sent them. A find is kept in the
// conversation as `tool_reference` blocks, and written as what this request's model can read.
import type { MessageParam } from '../../core/messages/messages.ts';
import type { Tool } from '../../core/tool/tool.ts';
import type { ToolParam } from '../../model/model.ts';
import { findNotedMessages, hasReferences } from './announce-tools.ts';
import type { Pool } from './prepare-pool.ts';
import type { ToolParamWriter } from './to-tool-param.ts';

/**
 * The definitions: the prefix, and after it what may come and go. Two requests with the same built-in
 * tools have the same bytes up to there.
 */
export async function writeTools(pool: Pool, params: ToolParamWriter): Promise<ToolParam[]> {
  const { prefix, steady, loaded, referred, promptOptions } = pool;
  const whole = (tool: Tool) => params.writeWithUsage(tool, promptOptions);
  const [first, second, third, fourth] = await Promise.all([
    Promise.all(prefix.map((tool) => params.write(tool))),
    Promise.all(steady.map((tool) => params.write(tool))),
    Promise.all(loaded.map(whole)),
    // Of what nothing refers to yet the model sees nothing, so it needn't be sent.
    Promise.all(referred.map(whole)),
  ]);
  return [
    ...first,
    ...second,
    ...third,
    ...fourth.map((param) => ({ ...param, defer_loading: true as const })),
  ];
}

/**
 * The conversation with its finds written out: as references to what this request defers, else as a
 * `<functions>` block. The bytes of a find change only where those of the definitions do. The array
 * itself where there is no find: see {@link findNotedMessages} for what it must be.
 */
export async function writeMessages(
  messages: readonly MessageParam[],
  pool: Pool,
  params: ToolParamWriter,
): Promise<readonly MessageParam[]> {
  const written = new Map<number, MessageParam>();
  for (const at of findNotedMessages(messages)) {
    const { role, content } = messages[at] as MessageParam;
    if (role !== 'user' || typeof content === 'string' || !content.some(hasReferences)) continue;
    const { writeFind } = await import('./search-tools.ts');
    const blocks = content.map((block) =>
      hasReferences(block) ? writeFind(block, pool, params) : block,
    );
    written.set(at, { role, content: await Promise.all(blocks) });
  }
  if (written.size === 0) return messages;
  return messages.map((message, at) => written.get(at) ?? message);
}
