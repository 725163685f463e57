// The host's way to MCP servers where all runs on one thread: inline and at the edge. Its code is fetched with the
// first server.
import type { FetchPort } from '../../core/fetch-port.ts';
import type { McpClientPort } from '../../core/tool/mcp-server.ts';
import { defaultBounds } from './bounds.ts';
import type { McpBounds } from './bounds.ts';

export function createThreadMcpClient(
  fetch: FetchPort,
  bounds: Partial<McpBounds> = {},
): McpClientPort {
  return {
    async connect(name, config, options) {
      const [{ createMcpClient }, { connectServer }] = await Promise.all([
        import('./remote-server.ts'),
        import('./connect-server.ts'),
      ]);
      const realm = { fetch, bounds: { ...defaultBounds, ...bounds } };
      const client = createMcpClient((server, listeners, signal) =>
        connectServer(server, listeners, signal, realm),
      );
      return client.connect(name, config, options);
    },
  };
}
