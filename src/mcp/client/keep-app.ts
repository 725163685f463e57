// Stores the app page of a call with the session, so that a reload can show it even if its server
// is gone. remote-server.ts calls it when the tool has answered.
import { messageOf } from '../../core/errors.ts';
import { toAppKey } from '../../core/mcp/mcp-app.ts';
import type { McpAppReference } from '../../core/mcp/mcp-app.ts';
import { toSha256 } from '../../core/hashes/to-sha256.ts';
import type { CallContext } from '../../core/tool/context.ts';
import type { Connection } from './connection.ts';

/**
 * Stores the page. Never rejects: without the page the call is shown as text, and a notice has the
 * reason.
 */
export async function keepApp(
  app: { readonly serverName: string; readonly toolName: string; readonly appUri: string },
  { ask }: Pick<Connection, 'ask'>,
  { abortController, states, addNotification }: CallContext,
): Promise<McpAppReference | undefined> {
  const { serverName, toolName, appUri } = app;
  try {
    const { signal } = abortController;
    const { prefersBorder, ...page } = await ask({ type: 'read-app', uri: appUri }, signal);
    const digest = await toSha256(JSON.stringify(page));
    const key = toAppKey(digest);
    // Stored once for all calls with this page.
    if (states.get(key) === undefined) await states.set(key, page);
    return { serverName, toolName, digest, ...(prefersBorder !== undefined && { prefersBorder }) };
  } catch (error) {
    const why = messageOf(error);
    addNotification(`The app of ${serverName} for ${toolName} can't be shown. ${why}`);
    return undefined;
  }
}
