// Turns a connected server into tools of the agent, with the principal `remote`. Hosts build their
// McpClientPort from it.
import type { ToolDef } from '../../core/tool/build-tool.ts';
import { buildTool } from '../../core/tool/build-tool.ts';
import { buildMcpToolName } from '../../core/mcp/mcp-tool-name.ts';
import type {
  McpClientPort,
  McpRemoteServerConfig,
  McpServerSource,
  McpServerToolPolicy,
  RemoteMcpServer,
} from '../../core/mcp/mcp-server.ts';
import type { BackgroundWork, RestOfCall } from '../../core/tool/background.ts';
import { isRecord } from '../../core/values/is-record.ts';
import { toSha256 } from '../../core/hashes/to-sha256.ts';
import { quoteForReminder } from '../../core/messages/system-reminder.ts';
import { anyObject } from '../../core/schema/standard-schema.ts';
import type { CallContext } from '../../core/tool/context.ts';
import type { InputSchema, Tool, ToolResult } from '../../core/tool/tool.ts';
import { checkResult, keepBytes, toResultBlock } from '../call-tool-result.ts';
import type { CallToolResult } from '../call-tool-result.ts';
import { toMeta } from '../create-sdk-mcp-server.ts';
import { readTaskId } from './connection.ts';
import type { Connect, Offer, OfferedTool } from './connection.ts';
import { keepApp } from './keep-app.ts';
import { keepOpen } from './keep-open.ts';
import type { LastingConnection } from './keep-open.ts';
import { toPlainText } from '../../core/text/plain-text.ts';

/** The API's limit on a tool's name, in characters. */
const maxNameLength = 128;

export function createMcpClient(connect: Connect): McpClientPort {
  return {
    async connect(
      serverName,
      config,
      { onTools, onLost, signal, source, ...others },
    ): Promise<RemoteMcpServer> {
      let offer: Offer | undefined;
      const listeners = {
        onOffer(next: Offer) {
          offer = next;
          onTools();
        },
        onLost,
        ...others,
      };
      const connection = await keepOpen(() => connect(config, listeners, signal), {
        onReopened() {
          offer = undefined;
          onTools();
        },
        onLost,
      });
      const now = () => offer ?? connection.offer;
      const { showsApps = false } = others.abilities;
      const toToolsFor = (caller: 'model' | 'app', givenName: string) =>
        sortTools(givenName, now().tools)
          .usable.filter(({ name }) => findPolicy(config, name) !== 'always_deny')
          .filter(({ visibility = caller }) => visibility === caller)
          .map((tool) => {
            const server = {
              serverName: givenName,
              source,
              showsApps: showsApps && caller === 'model',
              keepsBytes: caller === 'model',
              answersByTasks: now().answersByTasks === true,
            };
            return toTool(server, tool, config, connection);
          });
      return {
        get name() {
          return now().name;
        },
        get version() {
          return now().version;
        },
        get instructions() {
          return now().instructions;
        },
        get problems() {
          return [...now().problems, ...sortTools(serverName, now().tools).problems];
        },
        get extras() {
          return now().extras;
        },
        ask: connection.ask,
        toTools: (givenName) => toToolsFor('model', givenName),
        toAppTools: (givenName) => toToolsFor('app', givenName),
        close: () => connection.close(),
      };
    },
  };
}

/** Keeps the tools with a unique and valid name. Characters that the API refuses are replaced. */
function sortTools(
  serverName: string,
  tools: readonly OfferedTool[],
): { readonly usable: readonly OfferedTool[]; readonly problems: readonly string[] } {
  const usable: OfferedTool[] = [];
  const problems: string[] = [];
  const names = new Set<string>();
  for (const tool of tools) {
    const name = buildMcpToolName({ serverName, toolName: tool.name });
    const isLong = name.length > maxNameLength;
    if (!isLong && !names.has(name)) usable.push(tool);
    else {
      const why = isLong ? 'its name is too long' : `another one comes to ${name}`;
      problems.push(`The tool ${toPlainText(tool.name, 100)} was left out: ${why}.`);
    }
    names.add(name);
  }
  return { usable, problems };
}

function findPolicy(
  { tools = [] }: McpRemoteServerConfig,
  toolName: string,
): McpServerToolPolicy['permission_policy'] {
  return tools.find(({ name }) => name === toolName)?.permission_policy;
}

const judgements = {
  always_ask: { behavior: 'ask', message: "its server's settings want it asked about." },
  always_allow: { behavior: 'allow' },
} as const;
// A day: longer than any call takes.
const maxCallMs = 24 * 60 * 60 * 1000;

/** A task has no time limit, unless the host sets one. */
function toTimeout(
  isTask: boolean | undefined,
  timeout: number | undefined,
): { readonly timeoutMs?: number } {
  if (timeout !== undefined) return { timeoutMs: timeout };
  return isTask ? { timeoutMs: maxCallMs } : {};
}

/** A call that its server runs as a task is a background task here. */
const taskInBackground: Omit<BackgroundWork<unknown, CallToolResult, unknown>, 'isAskedFor'> = {
  taskType: 'mcp',
  toStartedOutput({ taskId, outputPath, endsWithFinalResponse }) {
    const end = endsWithFinalResponse
      ? 'You are told when it has ended, as long as you go on working; your final answer stops it.'
      : 'You are told when it has ended.';
    const words = `The server runs the call as a task, which is ${taskId} here. What it says of it goes to ${outputPath}, and in the end its result: Read it to see how far it is. Stop it with TaskStop. ${end}`;
    return { content: [{ type: 'text', text: words }] };
  },
  toOutputText(progress) {
    const { message } = isRecord(progress) ? progress : {};
    return typeof message === 'string' ? `${toPlainText(message, maxProgressChars)}\n` : '';
  },
  // The output file has the server's text, and taints the session that reads it. So the
  // notification has none of that text.
  describeOutcome: ({ isError }) => (isError ? 'the server says that it failed.' : ''),
};

// 500 characters: as much as a person reads of one step.
const maxProgressChars = 500;

/** The parts of a server that its tools use. */
interface ToolServer {
  readonly serverName: string;
  readonly source: McpServerSource | undefined;
  readonly showsApps: boolean;
  /** True: bytes become files. An app gets the bytes, because it reads no files. */
  readonly keepsBytes: boolean;
  readonly answersByTasks: boolean;
}

/** Creates a tool. Its results come from outside, whatever the tool declares. */
function toTool(
  server: ToolServer,
  offered: OfferedTool,
  config: McpRemoteServerConfig,
  connection: LastingConnection,
): Tool {
  const { serverName, source, showsApps, keepsBytes } = server;
  const { name: toolName, description, inputSchema, annotations, appUri } = offered;
  const { alwaysLoad, timeout, trustAnnotations = false } = config;
  const name = buildMcpToolName({ serverName, toolName });
  const { title, readOnlyHint = false, destructiveHint = false, isInside = false } = annotations;
  const policy = findPolicy(config, toolName);
  const judgement = policy && policy !== 'always_deny' ? judgements[policy] : undefined;
  const words = quoteForReminder(description);

  async function finish(
    result: unknown,
    context: CallContext,
  ): Promise<ToolResult<CallToolResult>> {
    const given = checkResult(name, result);
    const resources = keepsBytes && context.mcpResources;
    const data = resources ? await keepBytes(given, resources) : given;
    const meta = toMeta(data);
    const app =
      showsApps && appUri !== undefined && context.agentId === undefined
        ? await keepApp({ serverName, toolName, appUri }, connection, context)
        : undefined;
    const mcpMeta = app ? { ...meta, app } : meta;
    return { data, ...(mcpMeta && { mcpMeta }) };
  }

  return buildTool({
    name,
    isMcp: true,
    mcpInfo: { serverName, toolName, isElsewhere: true, ...(source && { source }) },
    // The server checks the input, because only it supports all of its JSON Schema.
    inputSchema: anyObject,
    inputJSONSchema: inputSchema,
    ...(alwaysLoad && { alwaysLoad }),
    // The connection's clock ends a call; it is paused while the server asks a person.
    getTimeoutMs: () => maxCallMs,
    ...((offered.runsAsTask || server.answersByTasks) && {
      background: { ...taskInBackground, isAskedFor: () => offered.runsAsTask === true },
    }),
    // Security: the text is marked as the server's, for the model and for the person who is asked.
    description: () => Promise.resolve(`The MCP server ${serverName} says of it: ${words}`),
    prompt: () => Promise.resolve(''),
    isReadOnly: () => trustAnnotations && readOnlyHint,
    claimsReadOnly: () => readOnlyHint,
    ...(readOnlyHint && { isSearchOrReadCommand: () => ({ isSearch: false, isRead: true }) }),
    ...(judgement && { checkPermissions: () => Promise.resolve(judgement) }),
    isConcurrencySafe: () => readOnlyHint,
    isDestructive: () => destructiveHint,
    getDefinition: () => toSha256(JSON.stringify([description, inputSchema, annotations])),
    isOpenWorld: () => !isInside,
    // Security: a title alone could look like a built-in tool's name.
    userFacingName: () => `${serverName} - ${title ?? toPlainText(toolName, 100)}`,
    toAutoClassifierInput: (input) => input,
    async call(input, context, _canUseTool, _message, onProgress) {
      const { signal } = context.abortController;
      const tell = (progress: unknown) => onProgress?.(progress);
      const result = await connection.callTool(offered, input, {
        signal,
        ...toTimeout(offered.runsAsTask, timeout),
        onProgress: tell,
      });
      const taskId = server.answersByTasks ? readTaskId(result) : undefined;
      if (taskId === undefined) return finish(result, context);
      const rest: RestOfCall = async (ending, print) => {
        const limits = { signal: ending, ...toTimeout(true, timeout) };
        return finish(await connection.follow(taskId, { ...limits, onProgress: print }), context);
      };
      const goesOn = await context.goOnInBackground?.(rest).catch((error: unknown) => {
        // The task is cancelled, because nobody waits for it. A new signal, because a worker
        // handles no request with an aborted one.
        const stopping = new AbortController();
        rest(stopping.signal, tell).catch(() => undefined);
        stopping.abort();
        throw error;
      });
      if (goesOn !== undefined) return { data: goesOn as CallToolResult };
      const limits = { signal, ...toTimeout(false, timeout) };
      return finish(await connection.follow(taskId, { ...limits, onProgress: tell }), context);
    },
    mapToolResultToToolResultBlockParam: toResultBlock,
  } satisfies ToolDef<InputSchema, CallToolResult>) as unknown as Tool;
}
