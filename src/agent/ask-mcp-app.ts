// Answers the requests of apps of a session's MCP servers. It returns their stored page, and runs
// calls of their own server's tools through all stations. Called by mcp-control.ts for the view
// of a call.
import { SdkError, fromSerializedError } from '../core/errors.ts';
import { isRecord } from '../core/values/is-record.ts';
import { maxToldBytes, toAppKey, toldKey } from '../core/mcp/mcp-app.ts';
import type {
  McpAppAnswers,
  McpAppPage,
  McpAppReference,
  McpAppRequest,
  McpAppResult,
  McpAppTold,
} from '../core/mcp/mcp-app.ts';
import { buildMcpToolName, toApiName } from '../core/mcp/mcp-tool-name.ts';
import { toNestedReply } from './calls/call-origin.ts';
import { runOutsideCall } from './turn/run-outside-call.ts';
import type { Session } from './session/session.ts';

// 5: the text of the oldest app is dropped if there are more, because every request contains all of
// them.
const maxTold = 5;

/** Implements `AskMcpApp`. `signal` is aborted with the session. */
export async function askMcpApp(
  session: Session,
  toolUseId: string,
  request: McpAppRequest,
  signal: AbortSignal,
): Promise<McpAppAnswers[McpAppRequest['type']]> {
  const app = findApp(session, toolUseId);
  // Validated by hand, because the request may come from another tab.
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

/**
 * Security: only tools of its own server that are for apps, with the permissions of a call by that
 * server.
 */
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
  const tools = connected.server.toAppTools?.(serverName) ?? [];
  const tool = tools.find(({ mcpInfo }) => mcpInfo?.toolName === name);
  if (!tool) {
    throw new SdkError('bad-usage', `The server ${serverName} has no tool ${name} for apps.`, {
      data: { server: serverName },
    });
  }
  const asking = {
    id: app.toolUseId,
    name: buildMcpToolName({ serverName, toolName: app.toolName }),
  };
  const { settled, outcome } = await runOutsideCall(
    session,
    { tool, input, tools, asking, requester: tool },
    signal,
  );
  const reply = toNestedReply(settled, outcome);
  if (reply.type === 'failed') throw fromSerializedError(reply.error);
  return reply.output as McpAppResult;
}

/** Security: text from outside, which the model reads from the next request on. */
async function tellModel(
  { states, permissions }: Session,
  { toolUseId, serverName }: App,
  { text }: Extract<McpAppRequest, { type: 'tell-model' }>,
): Promise<void> {
  if (typeof text !== 'string' || new TextEncoder().encode(text).length > maxToldBytes) {
    throw new SdkError('invalid-input', `An app may tell the model ${maxToldBytes} bytes of text.`);
  }
  const told = (states.get(toldKey) ?? []) as readonly McpAppTold[];
  if ((told.find((one) => one.toolUseId === toolUseId)?.text ?? '') === text) return;
  if (text !== '') permissions.taint(`mcp__${toApiName(serverName)}`);
  await states.update(toldKey, (before) => {
    const others = ((before ?? []) as readonly McpAppTold[]).filter(
      (one) => one.toolUseId !== toolUseId,
    );
    return [...others, ...(text === '' ? [] : [{ toolUseId, serverName, text }])].slice(-maxTold);
  });
}
