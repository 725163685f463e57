// Writes the tools of a request (stage 11): definitions, and the results of ToolSearch. The
// conversation stores those as `tool_reference` blocks; they are written in the form that the
// request's model supports.
import type { MessageParam } from '../../core/messages/messages.ts';
import type { Tool } from '../../core/tool/tool.ts';
import type { ToolParam } from '../../model/model.ts';
import { findNotedMessages, hasReferences } from './noted-messages.ts';
import type { Pool } from './prepare-pool.ts';
import type { ToolParamWriter } from './to-tool-param.ts';

/**
 * The definitions: first the prefix, then the tools that may come and go. Two requests with the same
 * built-in tools have the same bytes for the whole prefix.
 */
export async function writeTools(pool: Pool, params: ToolParamWriter): Promise<ToolParam[]> {
  const { prefix, steady, loaded, referred, promptOptions } = pool;
  const whole = (tool: Tool) => params.writeWithUsage(tool, promptOptions);
  const [first, second, third, fourth] = await Promise.all([
    Promise.all(prefix.map((tool) => params.write(tool))),
    Promise.all(steady.map((tool) => params.write(tool))),
    Promise.all(loaded.map(whole)),
    // The model doesn't see a deferred tool without a reference, so it isn't sent.
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
 * The conversation with the results of ToolSearch written out: as references to the tools that this request
 * defers, else as a `<functions>` block. Their bytes change only if the definitions do. Returns the array
 * itself if there is no such result; see {@link findNotedMessages} for what the array must be.
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
