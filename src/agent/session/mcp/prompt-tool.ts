// Lets a tool of an MCP server answer permission questions (`permissionPromptToolName`). Loaded by
// answerer.ts with the first question. The call skips the permission checks: it belongs to the
// host, and a question about it would cause another one.
import { createChildController } from '../../../core/async/abort.ts';
import { SdkError } from '../../../core/errors.ts';
import type { CanUseTool, PermissionResult } from '../../../core/permissions/permission.ts';
import { toInputJsonSchema } from '../../../core/schema/json-schema.ts';
import { clipText } from '../../../core/text/clip-text.ts';
import type { CallContext } from '../../../core/tool/context.ts';
import type { Tool, ToolResult } from '../../../core/tool/tool.ts';
import { isRecord } from '../../../core/values/is-record.ts';
import { awaitServersOf } from './await-servers.ts';
import type { McpServers } from './mcp-servers.ts';

/** A server's tool uses only these parts of a tool. */
interface ServerTool extends Pick<Tool, 'name' | 'inputSchema' | 'inputJSONSchema'> {
  call(
    input: Record<string, unknown>,
    context: Pick<CallContext, 'abortController' | 'toolUseID'>,
  ): Promise<ToolResult<unknown>>;
}

// 30 s: as long as WaitForMcpServers waits.
const serverMs = 30_000;

/**
 * Waits for the tool's server while it connects. Rejects if the tool is missing, fails, or gives no
 * JSON; then the call stays blocked. The caller checks the answer.
 */
export async function askPromptTool(
  name: string,
  servers: McpServers | undefined,
  ...asked: Parameters<CanUseTool>
): Promise<PermissionResult> {
  const [, , { signal, toolUseID }] = asked;
  await awaitServersOf([name], { mcpServers: servers }, serverMs, signal);
  // The cast: see ServerTool.
  const tool = servers?.tools().find((one) => one.name === name) as ServerTool | undefined;
  if (!tool) throw failed(`${name} isn't there: its server isn't connected, or lacks it.`);
  const input = await toInput(tool, asked);
  const abortController = createChildController(signal);
  try {
    const { data } = await tool.call(input, { abortController, toolUseID });
    return readAnswer(name, data);
  } finally {
    abortController[Symbol.dispose]();
  }
}

/**
 * The tool's input, with the Claude Agent SDK's fields. Other fields are added if the tool's schema
 * names them.
 */
async function toInput(
  tool: ServerTool,
  [tool_name, input, options]: Parameters<CanUseTool>,
): Promise<Record<string, unknown>> {
  const { properties = {} } =
    tool.inputJSONSchema ?? toInputJsonSchema(tool.name, tool.inputSchema);
  const more = {
    tool_use_id: options.toolUseID,
    agent_id: options.agentID,
    decision_reason: options.decisionReason,
    permission_suggestions: options.suggestions,
    changes: options.changes,
    proposed_changes: options.proposedChanges,
  };
  const known = isRecord(properties) ? properties : {};
  const wanted = Object.entries(more).filter(
    ([field, value]) => value !== undefined && Object.hasOwn(known, field),
  );
  const question = { tool_name, input, ...Object.fromEntries(wanted) };
  const parsed = await tool.inputSchema.safeParseAsync(question, { jitless: true });
  if (parsed.success) return parsed.data;
  throw failed(
    `${tool.name} takes no question: it needs the fields tool_name (a text) and input (an object). ${parsed.error.message}`,
  );
}

/** The text of a result, or its structured content. */
function readAnswer(name: string, data: unknown): PermissionResult {
  const { content, isError, structuredContent } = isRecord(data) ? data : {};
  const parts: readonly unknown[] = Array.isArray(content) ? content : [];
  const text = parts
    .flatMap((part) => (isRecord(part) && part['type'] === 'text' ? [String(part['text'])] : []))
    .join('\n');
  if (isError === true) throw failed(`${name} failed: ${clipText(text, shownChars)}`);
  // The cast is safe, because the caller checks every answer.
  if (isRecord(structuredContent)) return structuredContent as unknown as PermissionResult;
  try {
    return JSON.parse(text) as PermissionResult;
  } catch {
    throw failed(
      `${name} gave no answer: its text must be JSON, such as {"behavior":"allow"} or {"behavior":"deny","message":"Why not"}, not ${JSON.stringify(clipText(text, shownChars))}.`,
    );
  }
}

// 200 characters: enough to recognise the answer. The model gets this text too.
const shownChars = 200;

function failed(message: string): SdkError {
  return new SdkError('mcp-failed', message);
}
