// `createSdkMcpServer()` as in the Claude Agent SDK: the host's own tools, in process, under a
// server's name. There is no protocol in between; a call is a function call.
import { checkOptionNames } from '../core/check-option-names.ts';
import type { ToolDef } from '../core/tool/build-tool.ts';
import { buildTool } from '../core/tool/build-tool.ts';
import { SdkError } from '../core/errors.ts';
import type { McpSdkServerConfig, McpServerInstance } from '../core/mcp/mcp-server.ts';
import { toInputJsonSchema } from '../core/schema/json-schema.ts';
import { toInputParts } from '../core/schema/standard-schema.ts';
import type { InputSchema, McpMeta, Tool } from '../core/tool/tool.ts';
import { checkResult, keepBytes, toResultBlock } from './call-tool-result.ts';
import type { CallToolResult } from './call-tool-result.ts';
import { buildMcpToolName } from '../core/mcp/mcp-tool-name.ts';
import { createSdkServerExtras } from './sdk-server-extras.ts';
import type { SdkMcpPrompt, SdkMcpResource } from './sdk-server-extras.ts';
import type { SdkMcpToolDefinition } from './tool.ts';

/** A server and its tools, resources and prompts. */
export interface SdkMcpServerOptions {
  readonly name: string;
  /** @defaultValue '1.0.0' */
  readonly version?: string;
  /** Instructions for the model, added to the system prompt. */
  readonly instructions?: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- inference: a list of tools of different inputs
  readonly tools?: readonly SdkMcpToolDefinition<any>[];
  /** Resources that the model can read with ReadMcpResourceTool. */
  readonly resources?: readonly SdkMcpResource[];
  /** Prompts that a person can use as commands. */
  readonly prompts?: readonly SdkMcpPrompt[];
  /** True: none of its tools is deferred. @defaultValue false */
  readonly alwaysLoad?: boolean;
  /** The time limit of a call, in milliseconds. @defaultValue 60 000 */
  readonly timeout?: number;
}

/**
 * Creates a server for `query`'s `mcpServers: { weather: server }`. Its tools then have the names
 * `mcp__weather__<tool>`, from the key in `mcpServers`. Rules use these names, or `mcp__weather`
 * for all of them.
 *
 * @throws SdkError `bad-usage` for a missing name, an invalid timeout, and an invalid tool,
 * resource or prompt. Also for two of them with the same name or URI. `invalid-input` for an input
 * schema that can't be written as JSON Schema. A name that is too long for the API is refused at
 * the query's first message, because only then the server's key is known
 */
export function createSdkMcpServer(options: SdkMcpServerOptions): McpSdkServerConfig {
  checkOptionNames('createSdkMcpServer', options, knownOptions);
  const { name, version = '1.0.0', instructions = '', tools = [], timeout } = options;
  if (timeout !== undefined && !(typeof timeout === 'number' && timeout > 0)) {
    throw new SdkError(
      'bad-usage',
      `The timeout of the server ${name} must be a number of milliseconds above 0, not ${timeout}.`,
      { data: { server: name, timeout } },
    );
  }
  if (typeof name !== 'string' || name === '') {
    throw new SdkError('bad-usage', 'A server needs a name.');
  }
  if (!Array.isArray(tools) || tools.some((given) => typeof given?.handler !== 'function')) {
    throw new SdkError('bad-usage', `tools of the server ${name} is a list of what tool() gives.`);
  }
  const { resources = [], prompts = [] } = options;
  const more =
    resources.length + prompts.length > 0 && createSdkServerExtras(name, resources, prompts);
  const toTools = (serverName: string) =>
    tools.map((definition) => toTool(serverName, definition, options));
  // Created once here too, so that errors are reported where the server is created.
  const made = toTools(name);
  checkNames(name, made);
  for (const tool of made)
    if (!tool.inputJSONSchema) toInputJsonSchema(tool.name, tool.inputSchema);
  const instance: McpServerInstance = {
    name,
    version,
    instructions,
    toTools: (serverName) => checkLengths(toTools(serverName)),
    ...more,
  };
  return { type: 'sdk', name, instance };
}

function checkNames(serverName: string, tools: readonly Tool[]): void {
  const names = tools.map((tool) => tool.name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice === undefined) return;
  throw new SdkError(
    'bad-usage',
    `Two tools of the server ${serverName} come to ${twice}. Rename one.`,
    { data: { toolName: twice } },
  );
}

// The API's limit on a tool's name, in characters.
const maxNameLength = 128;

/** Checks the lengths with the server's key in the query, which may differ from its own name. */
function checkLengths(tools: readonly Tool[]): readonly Tool[] {
  const long = tools.find(({ name }) => name.length > maxNameLength)?.name;
  if (long === undefined) return tools;
  throw new SdkError(
    'bad-usage',
    `${long} is longer than the ${maxNameLength} characters that the API takes. Shorten the server's name or the tool's.`,
    { data: { toolName: long } },
  );
}

/**
 * Creates a tool. Its calls are authorised like any other. Its results count as text from outside
 * unless it declares otherwise.
 */
function toTool(
  serverName: string,
  definition: SdkMcpToolDefinition,
  server: SdkMcpServerOptions,
): Tool {
  const { name: toolName, annotations = {}, handler, searchHint } = definition;
  const name = buildMcpToolName({ serverName, toolName });
  const isReadOnly = annotations.readOnlyHint === true;
  return buildTool({
    name,
    isMcp: true,
    mcpInfo: { serverName, toolName },
    ...toInputParts(name, definition.inputSchema),
    ...(searchHint !== undefined && { searchHint }),
    ...((definition.alwaysLoad ?? server.alwaysLoad) && { alwaysLoad: true }),
    ...(server.timeout !== undefined && { getTimeoutMs: () => server.timeout ?? 0 }),
    description: () => Promise.resolve(definition.description),
    prompt: () => Promise.resolve(''),
    isReadOnly: () => isReadOnly,
    isConcurrencySafe: () => isReadOnly,
    isDestructive: () => annotations.destructiveHint === true,
    isOpenWorld: () => annotations.openWorldHint !== false,
    userFacingName: () => annotations.title ?? `${serverName} - ${toolName}`,
    toAutoClassifierInput: (input) => input,
    async call(input, { abortController: { signal }, toolUseID = '', mcpResources }) {
      const given = checkResult(name, await handler(input, { signal, requestId: toolUseID }));
      const data = mcpResources ? await keepBytes(given, mcpResources) : given;
      const mcpMeta = toMeta(data);
      return { data, ...(mcpMeta && { mcpMeta }) };
    },
    mapToolResultToToolResultBlockParam: toResultBlock,
  } satisfies ToolDef<InputSchema, CallToolResult>) as unknown as Tool;
}

/** The other parts of a result, for the host's viewers. */
export function toMeta({ _meta, structuredContent }: CallToolResult): McpMeta | undefined {
  if (!_meta && structuredContent === undefined) return undefined;
  return {
    ...(_meta && { _meta }),
    ...(structuredContent !== undefined && { structuredContent }),
  };
}

const knownOptions = {
  name: true,
  version: true,
  instructions: true,
  tools: true,
  resources: true,
  prompts: true,
  alwaysLoad: true,
  timeout: true,
} satisfies Record<keyof SdkMcpServerOptions, true>;
