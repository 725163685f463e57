// One find of ToolSearch as this request's model can read it. Loaded with the first find; `write-request.ts`
// calls it.
import { isToolReferenceBlock } from '../../core/blocks.ts';
import type { ToolReferenceBlock, ToolResultBlock } from '../../core/blocks.ts';
import type { Tool } from '../../core/tool/tool.ts';
import type { Pool } from './prepare-pool.ts';
import type { ToolParamWriter } from './to-tool-param.ts';

/** The result with references to what the request holds back, or with words in their place. */
export async function writeFind(
  block: ToolResultBlock,
  pool: Pool,
  params: ToolParamWriter,
): Promise<ToolResultBlock> {
  const parts = typeof block.content === 'object' ? block.content : [];
  const references = parts.filter(isToolReferenceBlock);
  if (pool.asReferences) {
    // The API refuses a request that refers to what it doesn't have; what is sent whole needs none.
    const known = references.filter((part) => isReferred(part, pool));
    if (known.length > 0) return { ...block, content: known };
    return { ...block, content: toNote(references, pool) };
  }
  const lines = await Promise.all(references.map((part) => writeFunction(part, pool, params)));
  return { ...block, content: `<functions>\n${lines.join('\n')}\n</functions>` };
}

function isReferred({ tool_name }: ToolReferenceBlock, { referred }: Pool): boolean {
  return referred.some(({ name }) => name === tool_name);
}

/** Where there is nothing left to refer to. */
function toNote(
  references: readonly ToolReferenceBlock[],
  { prefix, steady, loaded }: Pool,
): string {
  const sent = new Set([...prefix, ...steady, ...loaded].map(({ name }) => name));
  return references
    .map(({ tool_name }) =>
      sent.has(tool_name) ? `${tool_name} is loaded: call it.` : `${tool_name} is no longer there.`,
    )
    .join('\n');
}

async function writeFunction(
  { tool_name }: ToolReferenceBlock,
  pool: Pool,
  params: ToolParamWriter,
): Promise<string> {
  const { prefix, steady, promptOptions } = pool;
  const tool = findSent(tool_name, pool);
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

/** Also of what is gone since it was found. */
function findSent(toolName: string, { tools, loaded, referred }: Pool): Tool | undefined {
  return [...tools, ...loaded, ...referred].find(({ name }) => name === toolName);
}
