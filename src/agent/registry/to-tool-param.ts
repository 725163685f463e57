// Converts a tool to the API's form: name, description and the JSON Schema of its input.
import { describeThrown, SdkError } from '../../core/errors.ts';
import { checkObjectSchema, toInputJsonSchema } from '../../core/schema/json-schema.ts';
import type { InputJsonSchema } from '../../core/schema/json-schema.ts';
import type { PromptOptions, Tool } from '../../core/tool/tool.ts';
import type { ToolParam } from '../../model/model.ts';
import { mendSchema } from './mend-schema.ts';
import { splitSchema } from './split-schema.ts';

/**
 * @throws SdkError `invalid-input` if the schema can't be written as JSON Schema, and `tool-failed`
 * if the tool fails to describe itself
 */
export async function toToolParam(tool: Tool): Promise<ToolParam> {
  const { sent, rest } = splitSchema(readSchema(tool));
  const description = await askForText(tool, () => tool.description());
  return {
    name: tool.name,
    description: rest ? `${description}\n\n${describeRest(rest)}` : description,
    input_schema: sent,
    ...(tool.strict && { strict: true as const }),
  };
}

/** Security: a server may have written the text, and a reminder may contain the description. */
function describeRest(rest: Readonly<Record<string, unknown>>): string {
  const json = JSON.stringify(rest).replaceAll('<', '\\u003c');
  return `Beside the schema of its input this holds for the same input, as JSON Schema: ${json}`;
}

function readSchema(tool: Tool): InputJsonSchema {
  try {
    const own = tool.inputJSONSchema;
    if (!own) return toInputJsonSchema(tool.name, tool.inputSchema);
    // A schema that can't be written as JSON is refused here, where the error can name the tool.
    JSON.stringify(own);
    return mendSchema(checkObjectSchema(tool.name, own));
  } catch (error) {
    if (SdkError.isInstance(error)) throw error;
    throw new SdkError(
      'invalid-input',
      `The input schema of ${tool.name} could not be made (${describeThrown(error)}). Mend the tool, or leave it out.`,
      { data: { toolName: tool.name }, cause: error },
    );
  }
}

/**
 * Gets a text for the model from the tool.
 *
 * @throws SdkError `tool-failed` if the tool gives none, because no request is possible without it
 */
export async function askForText(tool: Tool, ask: () => Promise<string>): Promise<string> {
  let why = 'it gave no text';
  try {
    const text: unknown = await ask();
    if (typeof text === 'string') return text;
  } catch (error) {
    why = describeThrown(error);
  }
  throw new SdkError(
    'tool-failed',
    `The tool ${tool.name} could not say what it is for (${why}), so the model can't be asked. Mend it, or leave it out.`,
    { data: { toolName: tool.name } },
  );
}

/** Writes each tool once, because a definition must not vary between requests. */
export interface ToolParamWriter {
  /** For a tool whose usage section is in the system prompt. */
  write(tool: Tool): Promise<ToolParam>;
  /**
   * For a tool that may come and go: its usage section is part of the description. Each name is
   * written once. If its server changes the description later, the sent definition stays;
   * {@link readNow} gives the new one.
   */
  writeWithUsage(tool: Tool, options: PromptOptions): Promise<ToolParam>;
  /** The current definition, which may differ from the written one. */
  readNow(tool: Tool, options: PromptOptions): Promise<ToolParam>;
  /** The tool that was last written with its usage under this name; it may have gone since. */
  recall(name: string): Tool | undefined;
}

/**
 * Creates the writer of one conversation. `parent` is the writer of the agent that started this
 * one; they share most tools.
 */
export function createToolParamWriter(parent?: Pick<ToolParamWriter, 'write'>): ToolParamWriter {
  const plain = new Map<Tool, Promise<ToolParam>>();
  const withUsage = new Map<Tool, Promise<ToolParam>>();
  const written = new Map<string, Promise<ToolParam>>();
  const byName = new Map<string, Tool>();
  const write = parent?.write ?? ((tool: Tool) => keep(plain, tool, () => toToolParam(tool)));
  const append = async (tool: Tool, options: PromptOptions) => {
    const param = await write(tool);
    const usage = (await askForText(tool, () => tool.prompt(options))).trim();
    return usage === '' ? param : { ...param, description: `${param.description}\n\n${usage}` };
  };
  const readNow = (tool: Tool, options: PromptOptions) =>
    keep(withUsage, tool, () => append(tool, options));
  return {
    write,
    readNow,
    writeWithUsage(tool, options) {
      byName.set(tool.name, tool);
      return keep(written, tool.name, () => readNow(tool, options));
    },
    recall: (name) => byName.get(name),
  };
}

/** Caches successful results. After a failure, the next request tries again. */
function keep<Key>(
  params: Map<Key, Promise<ToolParam>>,
  key: Key,
  make: () => Promise<ToolParam>,
): Promise<ToolParam> {
  const known = params.get(key);
  if (known) return known;
  const made = make();
  params.set(key, made);
  made.catch(() => params.delete(key));
  return made;
}
