// What the apps of a session's MCP servers are given: their page as it was kept, and calls of their own server's tools,
// through all stations. server-control.ts asks it, for whoever draws a call.
import { createChildController } from '../core/abort.ts';
import { SdkError, fromSerializedError } from '../core/errors.ts';
import { createId } from '../core/ids.ts';
import { isRecord } from '../core/is-record.ts';
import { maxToldBytes, toAppKey, toldKey } from '../core/mcp-app.ts';
import type {
  McpAppAnswers,
  McpAppPage,
  McpAppReference,
  McpAppRequest,
  McpAppResult,
  McpAppTold,
} from '../core/mcp-app.ts';
import { buildMcpToolName, toApiName } from '../core/mcp-tool-name.ts';
import type { AssistantMessage } from '../core/messages.ts';
import type { Tools } from '../core/tool/tool.ts';
import { toNestedReply } from './calls/call-origin.ts';
import { runCall } from './calls/run-call.ts';
import type { Turn } from './calls/turn.ts';
import type { Pool } from './registry/prepare-pool.ts';
import type { Session } from './session/session.ts';

// 5: what was told of more is the oldest's to lose, as each request pays for all.
const maxTold = 5;

/** As `AskMcpApp`. `signal`: aborted with the session. */
export async function askMcpApp(
  session: Session,
  toolUseId: string,
  request: McpAppRequest,
  signal: AbortSignal,
): Promise<McpAppAnswers[McpAppRequest['type']]> {
  const app = findApp(session, toolUseId);
  // As it may come from another tab.
  const { type } = (isRecord(request) ? request : {}) as Partial<McpAppRequest>;
  switch (type) {
    case 'open':
      return openPage(session, app, toolUseId);
    case 'call-tool':
      return callTool(session, { ...app, toolUseId }, request as never, signal);
    case 'tell-model':
      await tellModel(session, { ...app, toolUseId }, request as never);
      return null;
    default:
      throw new SdkError(
        'invalid-input',
        'An app may ask to be opened, call a tool or tell the model.',
      );
  }
}

function findApp({ journal }: Session, toolUseId: string): McpAppReference {
  const app = journal.fold.apps.get(toolUseId);
  if (app) return app;
  throw new SdkError('bad-usage', `The call ${toolUseId} has no app.`, { data: { toolUseId } });
}

function openPage({ states }: Session, { digest }: McpAppReference, toolUseId: string): McpAppPage {
  const page = states.get(toAppKey(digest));
  if (page !== undefined) return page as McpAppPage;
  throw new SdkError('bad-usage', `The page of the call ${toolUseId} wasn't kept.`, {
    data: { toolUseId },
  });
}

type App = McpAppReference & { readonly toolUseId: string };

/** Security: of its own server's tools those that are for apps, judged as what a server's tool asks for. */
async function callTool(
  session: Session,
  app: App,
  { name, input }: Extract<McpAppRequest, { type: 'call-tool' }>,
  signal: AbortSignal,
): Promise<McpAppResult> {
  const { serverName } = app;
  if (typeof name !== 'string' || !isRecord(input)) {
    throw new SdkError(
      'invalid-input',
      'An app calls a tool by its name, with an object as input.',
    );
  }
  const connected = session.mcpServers?.connected().find((one) => one.name === serverName);
  if (!connected) {
    throw new SdkError('mcp-failed', `The server ${serverName} isn't connected.`, {
      data: { server: serverName },
    });
  }
  const tools = connected.server.toAppTools(serverName);
  const tool = tools.find(({ mcpInfo }) => mcpInfo?.toolName === name);
  if (!tool) {
    throw new SdkError('bad-usage', `The server ${serverName} has no tool ${name} for apps.`, {
      data: { server: serverName },
    });
  }
  const controller = createChildController(signal);
  const { settled, outcome } = await runCall(
    { id: createId(), name: tool.name, input, index: 0 },
    {
      type: 'app',
      outer: { toolUse: toAskingUse(app), tool },
      parentMessage: toParentMessage(app),
      tools,
      depth: 1,
      // Its result is the app's. What that tells the model taints.
      onOutside: () => undefined,
    },
    {
      session,
      hooks: session.hooks,
      pool: toPool(session, tools),
      turn: toTurn(controller),
      signal: controller.signal,
    },
  ).finally(() => controller[Symbol.dispose]());
  const reply = toNestedReply(settled, outcome);
  if (reply.type === 'failed') throw fromSerializedError(reply.error);
  return reply.output as McpAppResult;
}

const toAskingUse = ({ toolUseId, serverName, toolName }: App) => ({
  id: toolUseId,
  name: buildMcpToolName({ serverName, toolName }),
  input: {},
  index: 0,
});

/** The message of the model may be long gone. */
function toParentMessage(app: App): AssistantMessage {
  const { id, name, input } = toAskingUse(app);
  return {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model: '<synthetic>',
    content: [{ type: 'tool_use', id, name, input }],
    stop_reason: 'tool_use',
    stop_sequence: null,
    usage: { input_tokens: 0, output_tokens: 0 },
  };
}

function toPool({ permissions, place }: Session, tools: Tools): Pool {
  return {
    tools,
    insideOnly: [],
    prefix: [],
    steady: [],
    loaded: [],
    referred: [],
    unloaded: [],
    promptOptions: { permissionContext: permissions.current(), tools, cwd: place.cwd },
    asReferences: false,
  };
}

/** A call of an app belongs to no turn of the conversation: what stops it stops nothing else. */
function toTurn(controller: AbortController): Turn {
  return {
    includePartialMessages: false,
    signal: controller.signal,
    stop: () => controller.abort(),
    isSuperseded: false,
    cutReplies: 0,
    hasCompacted: false,
    mayCompact: false,
    mayClear: false,
    fallback: undefined,
    handedOver: undefined,
    denials: [],
    contextModifiers: [],
  };
}

/** Security: words from outside, which the model reads from the next request on. */
async function tellModel(
  { states, permissions }: Session,
  { toolUseId, serverName }: App,
  { text }: Extract<McpAppRequest, { type: 'tell-model' }>,
): Promise<void> {
  if (typeof text !== 'string' || new TextEncoder().encode(text).length > maxToldBytes) {
    throw new SdkError('invalid-input', `An app may tell the model ${maxToldBytes} bytes of text.`);
  }
  if (text !== '') permissions.taint(`mcp__${toApiName(serverName)}`);
  await states.update(toldKey, (before) => {
    const others = ((before ?? []) as readonly McpAppTold[]).filter(
      (one) => one.toolUseId !== toolUseId,
    );
    return [...others, ...(text === '' ? [] : [{ toolUseId, serverName, text }])].slice(-maxTold);
  });
}
