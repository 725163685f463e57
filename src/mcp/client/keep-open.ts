// A connection that is opened again after its server has ended the session. Servers before
// 2026-07-28 then answer 404. remote-server.ts uses it to call tools.
import { SdkError } from '../../core/errors.ts';
import type { AskMcpServer } from '../../core/mcp/mcp-exchange.ts';
import type { CallOptions, Connection, OfferedTool } from './connection.ts';

/** The present connection. */
export interface LastingConnection extends Connection {
  /**
   * Works like `call`. A lost session is opened again, and the call is repeated if its tool is
   * read-only. Otherwise it rejects with `mcp-failed`, and the next call uses the new session.
   */
  callTool(
    tool: OfferedTool,
    input: Readonly<Record<string, unknown>>,
    options: CallOptions,
  ): Promise<unknown>;
}

/** Rejects like `open`. `onLost`: called if the connection could not be opened again. */
export async function keepOpen(
  open: () => Promise<Connection>,
  listeners: { onReopened(): void; onLost(error: Error): void },
): Promise<LastingConnection> {
  let connection = await open();
  let reopening: Promise<void> | undefined;

  /** Opens one connection for all calls that have lost theirs. */
  function reopen(lost: Connection): Promise<void> {
    if (connection !== lost) return Promise.resolve();
    reopening ??= (async () => {
      await lost.close();
      try {
        connection = await open();
        listeners.onReopened();
      } catch (error) {
        listeners.onLost(error as Error);
        throw error;
      } finally {
        reopening = undefined;
      }
    })();
    return reopening;
  }

  return {
    get offer() {
      return connection.offer;
    },
    get isLegacy() {
      return connection.isLegacy;
    },
    call: (toolName, input, options) => connection.call(toolName, input, options),
    async callTool({ name, annotations }, input, options) {
      const used = connection;
      try {
        return await used.call(name, input, options);
      } catch (error) {
        if (!isSessionLost(error)) throw error;
        await reopen(used);
        if (annotations.readOnlyHint === true) return connection.call(name, input, options);
        throw new SdkError(
          'mcp-failed',
          'The server had ended its session and refused the call. A new session is open: see whether the call was done, then call again.',
          { cause: error },
        );
      }
    },
    follow: (taskId, options) => connection.follow(taskId, options),
    // Other requests change nothing at a server, so they are repeated.
    ask: (async (request, signal) => {
      const used = connection;
      try {
        return await used.ask(request, signal);
      } catch (error) {
        if (!isSessionLost(error)) throw error;
        await reopen(used);
        return connection.ask(request, signal);
      }
    }) as AskMcpServer,
    close: () => connection.close(),
  };
}

function isSessionLost(error: unknown): boolean {
  return SdkError.isInstance(error) && error.data?.['isSessionLost'] === true;
}
