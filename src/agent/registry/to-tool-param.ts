// A tool as the API is told of it: name, text, JSON Schema of the input.
import { toInputJsonSchema } from '../../core/json-schema.ts';
import type { PromptOptions, Tool } from '../../core/tool.ts';
import type { ToolParam } from '../../model/model.ts';

/**
 * @throws SdkError `invalid-input` when the tool's schema can't be written as JSON Schema.
 */
export async function toToolParam(tool: Tool): Promise<ToolParam> {
  return {
    name: tool.name,
    description: await tool.description(),
    input_schema: tool.inputJSONSchema ?? toInputJsonSchema(tool.name, tool.inputSchema),
    ...(tool.strict && { strict: true as const }),
  };
}

/** Writes each tool once: what the API is told of a tool must not vary between requests. */
export interface ToolParamWriter {
  /** For a tool whose usage section stands in the system prompt. */
  write(tool: Tool): Promise<ToolParam>;
  /** For one that may come and go: its usage section is part of the description. */
  writeWithUsage(tool: Tool, options: PromptOptions): Promise<ToolParam>;
  /** The tool that was written with its usage last under this name; it may be gone since. */
  recall(name: string): Tool | undefined;
}

/** One for each session. */
export function createToolParamWriter(): ToolParamWriter {
  const plain = new Map<Tool, Promise<ToolParam>>();
  const withUsage = new Map<Tool, Promise<ToolParam>>();
  const byName = new Map<string, Tool>();
  const write = (tool: Tool) => {
    const param = plain.get(tool) ?? toToolParam(tool);
    plain.set(tool, param);
    return param;
  };
  const append = async (tool: Tool, options: PromptOptions) => {
    const param = await write(tool);
    const usage = (await tool.prompt(options)).trim();
    return usage === '' ? param : { ...param, description: `${param.description}\n\n${usage}` };
  };
  return {
    write,
    writeWithUsage(tool, options) {
      const param = withUsage.get(tool) ?? append(tool, options);
      withUsage.set(tool, param);
      byName.set(tool.name, tool);
      return param;
    },
    recall: (name) => byName.get(name),
  };
}
