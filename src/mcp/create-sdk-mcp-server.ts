// `createSdkMcpServer()` as the Claude Agent SDK spells it: tools of the host's own, in process, offered
// under a server's name. There is no protocol between: a call is a call.
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

/** A server and its offer. */
export interface SdkMcpServerOptions {
  readonly name: string;
  /** @defaultValue '1.0.0' */
  readonly version?: string;
  /** How the tools are meant to be used; goes into the system prompt. */
  readonly instructions?: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- inference: a list of tools of different inputs
  readonly tools?: readonly SdkMcpToolDefinition<any>[];
  /** Resources that the model may read, by ReadMcpResourceTool. */
  readonly resources?: readonly SdkMcpResource[];
  /** Prompts that a person may begin a message with. */
  readonly prompts?: readonly SdkMcpPrompt[];
  /** None of its tools is deferred. @defaultValue false */
  readonly alwaysLoad?: boolean;
  /** How long a call may take, in milliseconds. @defaultValue 60 000 */
  readonly timeout?: number;
}

/**
 * Makes a server for `query`'s `mcpServers: { weather: server }`. Its tools are then called
 * `mcp__weather__<tool>`, after the name under which it is given; rules name them so, or all of them as
 * `mcp__weather`.
 *
 * @throws SdkError `bad-usage` for a missing name, an impossible timeout, and anything that isn't a
 * tool, resource or prompt. Also for two of them under one name or address. `invalid-input` for
 * an input schema that can't be written as JSON Schema. A name that is longer than the API takes is
 * refused by the query's first message: only there it is known.
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
  // Made once here too, so that a mistake is reported where the server is made.
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

/**
 * Checks the names under the name that the query gives the server. The server's own name may be
 * longer or shorter.
 */
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
 * Makes a tool. It is asked about as any call. Its results are text from outside unless it says
 * otherwise.
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

/** The part of a result beside its content, for the host's viewers. */
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
