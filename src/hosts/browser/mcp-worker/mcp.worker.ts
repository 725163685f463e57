// The worker that speaks with MCP servers: it has no files and no tool's code, so that what a server sends can hold up
// neither the page nor a call. The page starts it with the first server, and replaces it when it hangs.
import { createAbortError } from '../../../core/abort.ts';
import { fromSerializedError, toSerializedError } from '../../../core/errors.ts';
import { createPageFetch } from '../../../core/fetch-port.ts';
import { defaultBounds } from '../../../mcp/client/bounds.ts';
import { connectServer } from '../../../mcp/client/connect-server.ts';
import type { Connection } from '../../../mcp/client/connection.ts';
import { RunningRequests } from '../wire/request-port.ts';
import type { FromMcpWorker, ToMcpWorker } from './mcp-protocol.ts';

const connections = new Map<number, Connection>();
const running = new RunningRequests();
const realm = {
  fetch: createPageFetch((url, init) => fetch(url, init), location.hostname),
  bounds: defaultBounds,
};

const tell = (message: FromMcpWorker) => self.postMessage(message);

self.onmessage = ({ data }: MessageEvent<ToMcpWorker>) => void hear(data);

async function hear(message: ToMcpWorker): Promise<void> {
  switch (message.type) {
    case 'abort':
      running.abort(message.id, createAbortError('The request was cut.'));
      return;
    case 'close': {
      const connection = connections.get(message.connection);
      connections.delete(message.connection);
      await connection?.close();
      return;
    }
    case 'connect':
    case 'call':
      try {
        await running.run(message.id, (signal) => answer(message, signal));
      } catch (error) {
        tell({ type: 'failed', id: message.id, error: toSerializedError(error) });
      }
  }
}

async function answer(
  message: ToMcpWorker & { readonly type: 'connect' | 'call' },
  signal: AbortSignal,
): Promise<void> {
  const { id } = message;
  if (message.type === 'connect') {
    const listeners = {
      onOffer: (offer: Connection['offer']) => tell({ type: 'offer', connection: id, offer }),
      onLost(error: Error) {
        connections.delete(id);
        tell({ type: 'lost', connection: id, error: toSerializedError(error) });
      },
    };
    const connection = await connectServer(message.config, listeners, signal, realm);
    connections.set(id, connection);
    tell({ type: 'connected', id, offer: connection.offer });
    return;
  }
  const connection = connections.get(message.connection);
  if (!connection) throw fromSerializedError(gone);
  const { toolName, input, timeoutMs } = message;
  const result = await connection.call(toolName, input, {
    signal,
    ...(timeoutMs !== undefined && { timeoutMs }),
    onProgress: (progress) => tell({ type: 'progress', id, progress }),
  });
  tell({ type: 'result', id, result });
}

const gone = {
  name: 'SdkError',
  code: 'mcp-failed',
  message: 'The connection with the server is closed.',
  data: {},
} as const;
