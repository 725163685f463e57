// A tool as the API is told of it: name, text, JSON Schema of the input.
import { toInputJsonSchema } from '../../core/json-schema.ts';
import type { Tool, Tools } from '../../core/tool.ts';
import type { ToolParam } from '../../model/model.ts';

/**
 * @throws SdkError `invalid-input` when the tool's schema can't be written as JSON Schema.
 */
export async function toToolParam(tool: Tool): Promise<ToolParam> {
  return {
    name: tool.name,
    description: await tool.description(),
    input_schema: toInputJsonSchema(tool.name, tool.inputSchema),
  };
}

/** Writes pools, each tool once: what the API is told of a tool must not vary between requests. */
export function createToolParamWriter(): (pool: Tools) => Promise<readonly ToolParam[]> {
  const written = new Map<Tool, Promise<ToolParam>>();
  const write = (tool: Tool) => {
    const param = written.get(tool) ?? toToolParam(tool);
    written.set(tool, param);
    return param;
  };
  return async (pool) => {
    const params = await Promise.all(pool.map(write));
    // The cache breakpoint: the tools before it are the same in every request.
    return params.map((param, at) =>
      at === params.length - 1 ? { ...param, cache_control: { type: 'ephemeral' } } : param,
    );
  };
}
